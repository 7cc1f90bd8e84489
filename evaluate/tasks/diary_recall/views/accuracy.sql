-- accuracy(value, sample): the struct of `share`, with the share under the name `accuracy`.
-- Transforming a list of one element gives its value a name.
create or replace macro accuracy(value, sample) as (
    list_transform(
        [share(value, sample)],
        lambda shares: {
            'n': shares.n, 'n_graded': shares.n_graded, 'n_questions': shares.n_questions,
            'accuracy': shares.share, 'low': shares.low, 'high': shares.high
        }
    )[1]
);
