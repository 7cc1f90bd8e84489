-- Does a model continue a passage in the text's own words?
-- Source: ours, measured with the QUIP of Weller et al., "According to ...", section 3.1
-- Grain: one row per run and model.
-- Columns: dataset (the text), model_label, num_parameters, run_id; passage_words (the length of the prompt); n
-- passages, n_graded; quip_beyond_prompt (the share of the completion's n-grams that are in the text, without those in
-- the prompt), quip (of the whole completion), chance_quip (over the control portrait, of a text that the model cannot
-- have seen; null without one); each with low and high (95%, bootstrap over passages, 1,000 replicates; Wilson's if a
-- score is exactly 0 or 1, null for fewer than two).
-- Needs: scores
with continued as (
    select
        scores.*,
        (settings::json ->> 'passage_words')::bigint as passage_words
    from according_to_scores as scores
    inner join runs using (run_id)
    where format = 'continuation'
),

whole_completions as (
    select run_id, model, revision, score as quip, score_low as quip_low, score_high as quip_high
    from continued
    where metric = 'quip'
),

controls as (
    select
        run_id, model, revision,
        score as chance_quip, score_low as chance_quip_low, score_high as chance_quip_high
    from continued
    where metric = 'quip_control'
)

select
    dataset, model_label, num_parameters, run_id, passage_words, n, n_graded,
    score as quip_beyond_prompt, score_low as quip_beyond_prompt_low, score_high as quip_beyond_prompt_high,
    quip, quip_low, quip_high, chance_quip, chance_quip_low, chance_quip_high
from continued
inner join whole_completions using (run_id, model, revision)
left join controls using (run_id, model, revision)
where metric = 'quip_beyond_prompt'
order by dataset, model_label, num_parameters, run_id
