-- according_to_replies: the scores of every question under every prompt, including null ones.
-- Grain: one row per run, model, revision, prompt, metric and question.
-- Columns: run_id, dataset, format, placement, portrait (its SHA-256), model, revision (the empty text if there is
-- none), suite, model_label, num_parameters, instruction_tuned_from; prompt, kind (null, grounding, anti-grounding, or
-- continuation) and place (in Table 1, from 1; null for a continuation); metric; example_id; value (mean over samples,
-- null if nothing could be scored), null_value (of the same question under the null prompt).
create or replace view according_to_replies as
with prompts as (
    select
        run_id, dataset,
        settings::json ->> 'format' as format,
        settings::json ->> 'placement' as placement,
        settings::json -> 'portrait' ->> 'sha256' as portrait,
        unnest(from_json(settings::json -> 'prompts', '["varchar"]')) as prompt,
        unnest(from_json(settings::json -> 'kinds', '["varchar"]')) as kind
    from runs
    where task = 'according-to'
),

asked as (
    select distinct run_id, model, coalesce(revision, '') as revision, example_id
    from calls
    where task = 'according-to' and stage = 'answer'
),

graded as (
    select
        run_id, model, coalesce(revision, '') as revision, example_id, variant as prompt, metric,
        avg(value) as value
    from calls
    inner join scores using (generation_id)
    where task = 'according-to'
    group by all
),

metrics as (
    select distinct run_id, metric
    from graded
),

described as (
    select
        run_id, model, coalesce(revision, '') as revision,
        suite, model_label, num_parameters, instruction_tuned_from
    from models
)

select
    run_id, dataset, format, placement, portrait,
    model, revision, suite, model_label, num_parameters, instruction_tuned_from,
    prompt, kind,
    list_position(
        [
            'null', 'evidence', 'expert-editor', 'found-results', 'reference', 'according-to', 'direct-quotes',
            'using-information', 'attributed', 'reddit', 'github', 'without'
        ],
        prompt
    ) as place,
    metric, example_id, value,
    max(value) filter (where prompt = 'null') over same_question as null_value
from prompts
inner join asked using (run_id)
inner join metrics using (run_id)
inner join described using (run_id, model, revision)
left join graded using (run_id, model, revision, example_id, prompt, metric)
window same_question as (partition by run_id, model, revision, metric, example_id);
