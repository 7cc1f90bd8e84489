-- How many of the grade-school problems does each model solve?
-- Source: Cobbe et al., Training Verifiers to Solve Math Word Problems
-- Grain: one row a cohort and set of questions.
-- Columns: cohort, model_label (see `cohorts`); dataset; n replies, n_graded of them (the others failed, or no number
-- could be read); n_questions, which the interval counts (several replies to one question are no independent trials);
-- accuracy, the mean over the questions of the share of their replies whose number is the solution's, with low and high
-- (95%, Wilson). A reply without a readable number counts as wrong, a failed request does not count. There is no
-- chance line: the answer may be any number.
-- Needs: scores
with asked as (
    select
        calls.cohort,
        runs.dataset,
        calls.example_id,
        count(*) as n,
        count(scores.metric) as n_scored,
        count(scores.value) as n_graded,
        avg(if(calls.error is null and scores.metric is not null, coalesce(scores.value, 0), null)) as accuracy
    from calls
    inner join runs on calls.run_id = runs.run_id
    left join scores on calls.generation_id = scores.generation_id and scores.metric = 'correct'
    where runs.task = 'gsm8k'
    group by all
),

shares as (
    select
        cohort,
        dataset,
        sum(n)::bigint as n,
        sum(n_graded)::bigint as n_graded,
        count(accuracy) as n_questions,
        avg(accuracy) as accuracy,
        sum(accuracy) as successes
    from asked
    group by all
    having sum(n_scored) > 0
)

select
    cohorts.cohort,
    cohorts.model_label,
    shares.dataset,
    shares.n,
    shares.n_graded,
    shares.n_questions,
    shares.accuracy,
    wilson_low(shares.successes, shares.n_questions) as low,
    wilson_high(shares.successes, shares.n_questions) as high
from shares
inner join cohorts on shares.cohort = cohorts.cohort
order by cohorts.cohort, shares.dataset
