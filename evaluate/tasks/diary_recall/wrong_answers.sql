-- What is wrong with the wrong answers?
-- Source: the reasons that scoring gives (selfknow.evaluate.tasks.diary_recall.score)
-- Grain: one row a cohort and reason; the reason `right` stands for the right answers.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); reason; n answers, n_graded, n_questions;
-- n_answers with this reason; share of n, low and high (95%, Wilson). Failed requests and answers without a score are
-- reasons of their own, so the shares add up to 1. There is no chance line, because nobody guesses a reason.
-- Needs: scores
with reasons as (
    select
        cohort,
        case
            when error is not null then 'failed request'
            when exact_match = 1 then 'right'
            when exact_match is null then coalesce(reason, 'no score')
            else coalesce(reason, 'wrong')
        end as why,
        count(*) as n_answers,
        count(*) filter (where sample = 0) as n_first_answers,
        count(exact_match) as n_answers_graded
    from exact_matches
    group by all
),

totals as (
    select
        cohort,
        sum(n_answers)::bigint as n,
        sum(n_answers_graded)::bigint as n_graded,
        sum(n_first_answers)::bigint as n_questions
    from reasons
    group by cohort
)

select
    diary_cohorts.cohort,
    diary_cohorts.model_label,
    diary_cohorts.dataset_size,
    diary_cohorts.setup,
    reasons.why as reason,
    totals.n,
    totals.n_graded,
    totals.n_questions,
    reasons.n_answers,
    reasons.n_answers / totals.n as share,
    unnest(wilson(reasons.n_answers / totals.n * totals.n_questions, totals.n_questions))
from diary_cohorts
inner join totals on diary_cohorts.cohort = totals.cohort
inner join reasons on diary_cohorts.cohort = reasons.cohort
order by diary_cohorts.cohort asc, reasons.n_answers desc, reasons.why asc
