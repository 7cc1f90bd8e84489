-- Does it recall as many documents as there are?
-- Source: Prato et al., Figures 5 and 6
-- Grain: one row a cohort, number of documents in the target and number of documents recalled.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); num_documents (target), documents_recalled (title
-- lines; null: no score); n answers with this target, n_graded, n_questions; n_answers with this many recalled; share
-- of n_graded, low and high (95%, Wilson); chance: all numbers are equally likely.
-- Needs: scores
with cells as (
    select
        answers.cohort,
        diary_questions.num_documents,
        scores.value::integer as documents_recalled,
        count(*) as n_answers,
        count(*) filter (where answers.sample = 0) as n_first_answers
    from answers
    inner join diary_questions on answers.run_id = diary_questions.run_id and answers.example_id = diary_questions.id
    left join scores on answers.generation_id = scores.generation_id and scores.metric = 'documents_recalled'
    group by all
),

targets as (
    select
        cohort,
        num_documents,
        sum(n_answers)::bigint as n,
        coalesce(sum(n_answers) filter (where documents_recalled is not null), 0)::bigint as n_graded,
        coalesce(sum(n_first_answers) filter (where documents_recalled is not null), 0)::bigint as n_questions
    from cells
    group by cohort, num_documents
),

shares as (
    select
        targets.*,
        cells.documents_recalled,
        cells.n_answers,
        case when cells.documents_recalled is not null then cells.n_answers / targets.n_graded end as share
    from cells
    inner join targets on cells.cohort = targets.cohort and cells.num_documents = targets.num_documents
)

select
    diary_cohorts.cohort,
    diary_cohorts.model_label,
    diary_cohorts.dataset_size,
    diary_cohorts.setup,
    shares.num_documents,
    shares.documents_recalled,
    shares.n,
    shares.n_graded,
    shares.n_questions,
    shares.n_answers,
    shares.share,
    unnest(wilson(shares.share * shares.n_questions, shares.n_questions)),
    1 / diary_cohorts.max_documents as chance
from diary_cohorts
inner join shares on diary_cohorts.cohort = shares.cohort
order by diary_cohorts.cohort, shares.num_documents, shares.documents_recalled
