-- cohorts: what the figures compare: the checkpoints of one model, trained on one dataset size in one setup.
-- Grain: one row a cohort.
-- Columns: cohort (in the order of tables and charts), task, suite, model_label, num_parameters, pretrained;
-- dataset_size, num_diarists, setup; n_models (checkpoints); max_documents, max_sentences.
create or replace view cohorts as
select
    cohort,
    task,
    suite,
    model_label,
    num_parameters,
    pretrained,
    dataset_size,
    num_diarists,
    setup,
    count(distinct concat(model, '@', revision)) as n_models,
    max(max_documents) as max_documents,
    max(max_sentences) as max_sentences
from models
group by all;
