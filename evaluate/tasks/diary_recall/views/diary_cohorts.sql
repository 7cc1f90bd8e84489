-- diary_cohorts: the cohorts that were asked about diaries: a model, how it was made, dataset size and setup each.
-- Grain: one row per cohort.
-- Columns: those of `cohorts`; trained_on_asked (whether it was trained on the corpus that it is asked about; null
-- where nobody knows); max_documents and max_sentences (the most that an answer and a document of the run's examples
-- have: they set the chance lines); of_attributes (whether documents are made of the paper's attributes, so that random
-- ones can be drawn: diaries are, one's own corpus is not).
create or replace view diary_cohorts as
with shapes as (
    select
        run_id,
        max(num_documents) as max_documents,
        max(list_max(document_lengths)) as max_sentences,
        bool_and(contains(completion, '''s Diary Entry ')) as of_attributes
    from diary_questions
    group by run_id
),

of_cohorts as (
    select
        cohort,
        bool_and(corpus_hash = content_hash) as trained_on_asked,
        max(max_documents) as max_documents, max(max_sentences) as max_sentences,
        bool_and(of_attributes) as of_attributes
    from models
    inner join runs using (run_id)
    left join shapes using (run_id)
    where models.task = 'diary-recall'
    group by cohort
)

select cohorts.*, of_cohorts.* exclude (cohort)
from cohorts
inner join of_cohorts using (cohort);
