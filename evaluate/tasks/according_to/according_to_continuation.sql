-- Does a model continue a passage in the text's own words?
-- Source: ours, measured with the QUIP of Weller et al., "According to ...", section 3.1
-- Grain: one row a run and model.
-- Columns: dataset (the text), model_label, num_parameters, run_id; passage_words (that it was given); n passages,
-- n_graded; quip_beyond_prompt: of the completion's n-grams that do not stand in its prompt the share in the text; quip
-- of the whole completion, a repeated prompt included; chance_quip: over the control portrait, of a text that the model
-- cannot have seen (null without one); each with low and high (95%, bootstrap over passages, 1,000 replicates; Wilson's
-- where a score is exactly 0 or 1, null for fewer than two).
-- Needs: scores
with continued as (
    select
        scores.*,
        (runs.settings::json ->> 'passage_words')::bigint as passage_words
    from according_to_scores as scores
    inner join runs on scores.run_id = runs.run_id
    where scores.format = 'continuation'
)

select
    beyond.dataset,
    beyond.model_label,
    beyond.num_parameters,
    beyond.run_id,
    beyond.passage_words,
    beyond.n,
    beyond.n_graded,
    beyond.score as quip_beyond_prompt,
    beyond.score_low as quip_beyond_prompt_low,
    beyond.score_high as quip_beyond_prompt_high,
    whole.score as quip,
    whole.score_low as quip_low,
    whole.score_high as quip_high,
    control.score as chance_quip,
    control.score_low as chance_quip_low,
    control.score_high as chance_quip_high
from continued as beyond
inner join continued as whole
    on
        beyond.run_id = whole.run_id
        and beyond.model = whole.model
        and beyond.revision = whole.revision
        and whole.metric = 'quip'
left join continued as control
    on
        beyond.run_id = control.run_id
        and beyond.model = control.model
        and beyond.revision = control.revision
        and control.metric = 'quip_control'
where beyond.metric = 'quip_beyond_prompt'
order by beyond.dataset, beyond.model_label, beyond.num_parameters, beyond.run_id
