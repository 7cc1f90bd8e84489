-- Which errors do the wrong answers have?
-- Source: the reasons of the scores (selfknow.evaluate.tasks.diary_recall.score)
-- Grain: one row per cohort and reason; right answers have the reason `right`.
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
        count(exact_match) as n_answers_graded,
        count(*) filter (where sample = 0) as n_first_answers
    from exact_matches
    group by all
),

shares as (
    select
        cohort, why, n_answers,
        (sum(n_answers) over same_cohort)::bigint as n,
        (sum(n_answers_graded) over same_cohort)::bigint as n_graded,
        (sum(n_first_answers) over same_cohort)::bigint as n_questions
    from reasons
    window same_cohort as (partition by cohort)
)

select
    cohort, model_label, dataset_size, setup, why as reason,
    n, n_graded, n_questions, n_answers, n_answers / n as share,
    unnest(wilson(n_answers / n * n_questions, n_questions))
from diary_cohorts
inner join shares using (cohort)
order by cohort asc, n_answers desc, why asc
