-- cohorts: the units that tables and charts compare: a model with its training, evaluated in one way.
-- Grain: one row per cohort.
-- Columns: cohort (its number, in the order of tables and charts); the columns of `models` that make a cohort; epochs,
-- training_tokens, recall_of_documents and recall_of_training_questions (means over its checkpoints); the columns by
-- which tasks tell their runs apart, null for other tasks; n_models (checkpoints), n_seeds (distinct training seeds; 0
-- if unknown).
create or replace view cohorts as
select
    cohort,
    models.* exclude (
        run_id, model, revision, checkpoint, parent, parent_revision, training_seed,
        instruction_tuned, instruction_tuned_from, training_number, cohort
    ) replace (
        avg(epochs) as epochs,
        round(avg(training_tokens))::bigint as training_tokens,
        avg(recall_of_documents) as recall_of_documents,
        avg(recall_of_training_questions) as recall_of_training_questions
    ),
    count(distinct if(checkpoint = model, concat(model, '@', revision), checkpoint)) as n_models,
    count(distinct training_seed) as n_seeds
from models
group by all;
