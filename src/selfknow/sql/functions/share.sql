-- share(value, sample): the share of right answers, with its interval and its n. A value is 1 (right), 0 (wrong) or
-- null (not graded). The result is a struct:
--
-- n             the number of answers
-- n_graded      the number of answers with a value
-- n_questions   the number of their questions, which are the trials: several answers to one question, numbered by
--               `sample`, are not independent
-- share         the mean of the values
-- low, high     its 95% interval (Wilson's)
--
-- It is an aggregate. `unnest(share(value, sample))` spreads its fields as columns, but not under `group by all`: name
-- the columns to group by. Without a sample, every answer is its own trial.
create or replace macro share(value, sample := 0) as (
    {
        'n': count(*),
        'n_graded': count(value),
        'n_questions': count(value) filter (where sample = 0),
        'share': avg(value),
        'low': wilson_low(
            avg(value) * count(value) filter (where sample = 0), count(value) filter (where sample = 0)
        ),
        'high': wilson_high(
            avg(value) * count(value) filter (where sample = 0), count(value) filter (where sample = 0)
        )
    }
);
