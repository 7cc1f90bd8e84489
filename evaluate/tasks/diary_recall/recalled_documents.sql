-- Does it recall as many documents as there are?
-- Source: Prato et al., Figures 5 and 6
-- Grain: one row per cohort, number of documents in the target and number of documents recalled.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); num_documents (target), documents_recalled (title
-- lines; null: no score); n answers with this target, n_graded, n_questions; n_answers with this many recalled; share
-- of n_graded, low and high (95%, Wilson); chance: all numbers are equally likely.
-- Needs: scores
with cells as (
    select
        cohort, num_documents, value::integer as documents_recalled,
        count(*) as n_answers,
        count(*) filter (where sample = 0) as n_first_answers
    from answers
    inner join diary_questions on answers.run_id = diary_questions.run_id and answers.example_id = diary_questions.id
    left join scores on answers.generation_id = scores.generation_id and metric = 'documents_recalled'
    group by all
),

shares as (
    select
        cohort, num_documents, documents_recalled, n_answers,
        (sum(n_answers) over target)::bigint as n,
        coalesce(sum(if(documents_recalled is null, 0, n_answers)) over target, 0)::bigint as n_graded,
        coalesce(sum(if(documents_recalled is null, 0, n_first_answers)) over target, 0)::bigint as n_questions
    from cells
    window target as (partition by cohort, num_documents)
)

select
    cohort, model_label, dataset_size, setup, num_documents, documents_recalled,
    n, n_graded, n_questions, n_answers,
    if(documents_recalled is null, null, n_answers / n_graded) as share,
    unnest(wilson(share * n_questions, n_questions)),
    1 / max_documents as chance
from diary_cohorts
inner join shares using (cohort)
order by cohort, num_documents, documents_recalled
