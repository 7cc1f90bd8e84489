-- according_to_cells: the scores of all questions under a prompt, as lists.
-- Grain: one row per run, model, revision, prompt and metric.
-- Columns: run_id, dataset, format, placement, portrait (its SHA-256), model, revision (the empty text if there is
-- none), suite, model_label, num_parameters, instruction_tuned_from; prompt, kind (null, grounding, anti-grounding, or
-- continuation) and place (in Table 1, from 1; null for a continuation); metric; number and question_set (see
-- `according_to_question_sets`); scores (of the set's questions, in the order of their ids: mean over samples, null if
-- nothing could be scored), null_scores (of the same questions under the null prompt; all null if it was not asked).
create or replace view according_to_cells as
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

described as (
    select
        run_id, model, coalesce(revision, '') as revision,
        suite, model_label, num_parameters, instruction_tuned_from
    from models
),

question_sets as (
    select *, len(ids) as num_questions
    from according_to_question_sets
),

questions as (
    select
        run_id, model, revision, number,
        unnest(ids) as example_id,
        generate_subscripts(ids, 1)::integer as question_place
    from question_sets
),

item_scores as (
    select
        number, calls.variant as prompt, metric,
        list(question_place) as question_places,
        list(value) as item_values
    from calls
    inner join questions
        on
            calls.run_id = questions.run_id
            and calls.model = questions.model
            and coalesce(calls.revision, '') = questions.revision
            and calls.example_id = questions.example_id
    inner join scores using (generation_id)
    group by all
),

graded as (
    select
        run_id, number, prompt, metric,
        means_by_place(question_places, item_values, num_questions) as scores
    from item_scores
    inner join question_sets using (number)
),

metrics as (
    select distinct run_id, metric
    from graded
),

cells as (
    select
        run_id, dataset, format, placement, portrait,
        model, revision, suite, model_label, num_parameters, instruction_tuned_from,
        prompt, kind, metric, number, question_set,
        coalesce(scores, list_resize([]::double[], num_questions)) as scores
    from prompts
    inner join metrics using (run_id)
    inner join described using (run_id)
    inner join question_sets using (run_id, model, revision)
    left join graded using (run_id, number, prompt, metric)
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
    metric, number, question_set, scores,
    coalesce(
        any_value(scores) filter (where prompt = 'null') over same_questions,
        list_resize([]::double[], len(scores))
    ) as null_scores
from cells
window same_questions as (partition by run_id, model, revision, metric);
