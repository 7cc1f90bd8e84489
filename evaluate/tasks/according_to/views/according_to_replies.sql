-- according_to_replies: the scores of every question under every prompt, also those that are null.
-- Grain: one row a run, model, revision, prompt, metric and question.
-- Columns: run_id, dataset, format, placement, portrait (its SHA-256), model, revision, suite, model_label,
-- num_parameters, instruction_tuned_from; prompt, kind (null, grounding, anti-grounding, or continuation) and place (in
-- Table 1, from 1; null of a continuation); metric; example_id; value (mean over samples, null
-- where nothing could be scored).
create or replace view according_to_replies as
with prompts as (
    select
        run_id,
        dataset,
        settings::json ->> 'format' as format,
        settings::json ->> 'placement' as placement,
        settings::json -> 'portrait' ->> 'sha256' as portrait,
        unnest(from_json(settings::json -> 'prompts', '["varchar"]')) as prompt,
        unnest(from_json(settings::json -> 'kinds', '["varchar"]')) as kind
    from runs
    where task = 'according-to'
),

asked as (
    select distinct
        run_id,
        model,
        revision,
        example_id
    from calls
    where task = 'according-to' and stage = 'answer'
),

graded as (
    select
        calls.run_id,
        calls.model,
        calls.revision,
        calls.example_id,
        calls.variant,
        scores.metric,
        avg(scores.value) as value
    from calls
    inner join scores on calls.generation_id = scores.generation_id
    where calls.task = 'according-to'
    group by all
),

metrics as (
    select distinct
        run_id,
        metric
    from graded
)

select
    prompts.run_id,
    prompts.dataset,
    prompts.format,
    prompts.placement,
    prompts.portrait,
    asked.model,
    asked.revision,
    models.suite,
    models.model_label,
    models.num_parameters,
    models.instruction_tuned_from,
    prompts.prompt,
    prompts.kind,
    list_position(
        [
            'null', 'evidence', 'expert-editor', 'found-results', 'reference', 'according-to', 'direct-quotes',
            'using-information', 'attributed', 'reddit', 'github', 'without'
        ],
        prompts.prompt
    ) as place,
    metrics.metric,
    asked.example_id,
    graded.value
from prompts
inner join asked on prompts.run_id = asked.run_id
inner join metrics on prompts.run_id = metrics.run_id
inner join models
    on
        asked.run_id = models.run_id
        and asked.model = models.model
        and asked.revision is not distinct from models.revision
left join graded
    on
        asked.run_id = graded.run_id
        and asked.model = graded.model
        and asked.revision is not distinct from graded.revision
        and asked.example_id = graded.example_id
        and prompts.prompt = graded.variant
        and metrics.metric = graded.metric;
