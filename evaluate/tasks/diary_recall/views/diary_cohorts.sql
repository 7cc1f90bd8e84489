-- diary_cohorts: the cohorts of diary recall; each is a model, its training, a dataset size and a setup.
-- Grain: one row per cohort.
-- Columns: those of `cohorts`; trained_on_asked (true if it was trained on the corpus that it is asked about; null if
-- unknown); max_documents and max_sentences (the largest numbers in the run's examples, which set the chance lines);
-- of_attributes (true if documents consist of the paper's attributes, so that random ones can be drawn; false for a
-- user's own corpus).
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
