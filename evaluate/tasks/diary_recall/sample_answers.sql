-- What do right and wrong answers look like?
-- Source: the generations themselves
-- Grain: one row per answer: two for every cohort and reason, those whose ids have the smallest MD5.
-- Columns: cohort, model_label, dataset_size, setup; reason (`right`, or the kind of error); n (answers of the cohort
-- with this reason); example_id, diarist, question, target, generation, finish_reason, error. These are examples, not
-- estimates, so there is no chance line.
-- Needs: scores
with reasons as (
    select
        cohort, generation_id,
        case
            when error is not null then 'failed request'
            when exact_match = 1 then 'right'
            else coalesce(reason, 'no score')
        end as why
    from exact_matches
),

chosen as (
    select cohort, why, count(*) as n, unnest(arg_min(generation_id, md5(generation_id), 2)) as generation_id
    from reasons
    group by cohort, why
)

select
    cohort, model_label, dataset_size, setup, why as reason, n,
    example_id, diarist, diary_questions.prompt as question, completion as target,
    generation, finish_reason, error
from chosen
inner join diary_cohorts using (cohort)
inner join generations using (generation_id)
inner join diary_questions
    on generations.run_id = diary_questions.run_id and generations.example_id = diary_questions.id
order by cohort asc, why <> 'right' asc, n desc, why asc, generation_id asc
