-- answers: the calls of stage `answer` of diary recall, with their cohort.
-- Grain: one row per answer, including failed requests.
-- Columns: those of `calls`, and of `diary_cohorts`: suite, model_label, num_parameters, pretrained, dataset_size,
-- num_diarists, setup, n_models, max_documents, max_sentences, of_attributes.
create or replace view answers as
select calls.*, diary_cohorts.* exclude (cohort, task)
from calls
inner join diary_cohorts using (cohort)
where calls.stage = 'answer' and calls.task = 'diary-recall';
