-- according_to_replies: the scores of every question under every prompt, including null ones.
-- Grain: one row per run, model, revision, prompt, metric and question.
-- Columns: those of `according_to_cells` without its lists; example_id; value (mean over samples, null if nothing could
-- be scored), null_value (of the same question under the null prompt).
create or replace view according_to_replies as
select
    run_id, dataset, format, placement, portrait,
    model, revision, suite, model_label, num_parameters, instruction_tuned_from, prompt, kind, place, metric,
    unnest(ids) as example_id,
    unnest(scores) as value,
    unnest(null_scores) as null_value
from according_to_cells
inner join according_to_question_sets using (run_id, model, revision);
