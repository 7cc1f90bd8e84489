-- share(value, sample): the share of right answers, with its interval and its n. A value is 1 (right), 0 (wrong) or
-- null (not graded). The result is a struct:
--
-- n             answers
-- n_graded      those with a value
-- n_questions   their questions, which are the trials: several answers to one question, numbered by `sample`, are not
--               independent
-- share         the mean of the values
-- low, high     its 95% interval (Wilson's)
--
-- It is an aggregate: read its fields, or spread them as columns with `unnest(share(value, sample))`, which needs the
-- `group by` in words (not `group by all`). Without a sample every answer is a trial of its own.
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
