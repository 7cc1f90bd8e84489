-- accuracy(value, sample): what `share` says, with the share called accuracy.
-- A list of one element that is transformed stands for a name.
create or replace macro accuracy(value, sample) as (
    list_transform(
        [share(value, sample)],
        lambda shares: {
            'n': shares.n, 'n_graded': shares.n_graded, 'n_questions': shares.n_questions,
            'accuracy': shares.share, 'low': shares.low, 'high': shares.high
        }
    )[1]
);
