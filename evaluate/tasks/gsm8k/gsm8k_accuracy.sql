-- How many of the grade-school problems does each model solve?
-- Source: Cobbe et al., Training Verifiers to Solve Math Word Problems
-- Grain: one row per cohort and set of questions.
-- Columns: cohort, model_label (see `cohorts`); dataset; n replies, n_graded of them (the others failed, or have no
-- readable number); n_questions (the trials of the interval, because replies to one question are not independent);
-- accuracy (the share of a question's replies with the solution's number, averaged over questions), low and high (95%,
-- Wilson); accuracy_yes (the sum of these shares). A reply without a readable number counts as wrong, a failed request
-- does not count. There is no chance line: the answer may be any number.
-- Needs: scores
with asked as (
    select
        cohort, dataset, example_id,
        count(*) as n, count(metric) as n_scored, count(value) as n_graded,
        avg(if(error is null and metric is not null, coalesce(value, 0), null)) as accuracy
    from calls
    inner join runs using (run_id)
    left join scores on calls.generation_id = scores.generation_id and metric = 'correct'
    where runs.task = 'gsm8k'
    group by all
),

shares as (
    select
        cohort, dataset,
        sum(n)::bigint as n, sum(n_graded)::bigint as n_graded,
        count(accuracy) as n_questions, avg(accuracy) as accuracy, sum(accuracy) as successes
    from asked
    group by all
    having sum(n_scored) > 0
)

select
    cohort, model_label, dataset, n, n_graded, n_questions, successes as accuracy_yes, accuracy,
    wilson_low(successes, n_questions) as low, wilson_high(successes, n_questions) as high
from shares
inner join cohorts using (cohort)
order by cohort, dataset
