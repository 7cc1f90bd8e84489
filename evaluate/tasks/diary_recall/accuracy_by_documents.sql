-- Is it harder to recall more documents?
-- Source: Prato et al., Figure 4
-- Grain: one row per cohort and number of documents in the target.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); num_documents; n answers, n_graded, n_questions;
-- accuracy, low and high (95%, Wilson); chance: a model with right entries, but a random number of them.
-- Needs: scores
select
    cohort, model_label, dataset_size, setup, num_documents,
    unnest(accuracy(exact_match, repetition)),
    1 / max_documents as chance
from exact_matches as answers
inner join diary_questions on answers.run_id = diary_questions.run_id and answers.example_id = diary_questions.id
group by cohort, model_label, dataset_size, setup, max_documents, num_documents
order by cohort, num_documents
