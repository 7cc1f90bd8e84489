-- Does an instruction-tuned model quote more on request than the model that it was tuned from?
-- Source: Weller et al., "According to ...", section 4.3 and Figure 4
-- Grain: one row a run of an instruction-tuned model, a run of its base over the same portrait, metric and prompt but
-- the null prompt.
-- Columns: dataset, format, base_format (another one only where the base was not asked in the first), placement,
-- metric, prompt, kind; tuned, base (labels), tuned_run_id, base_run_id; n questions, n_pairs_tuned and n_pairs_base
-- those with a value under both prompts; tuned_difference, base_difference (to the null prompt), gain (the one less the
-- other), gain_low, gain_high (95%, bootstrap over questions, 1,000 replicates, the same for both models).
-- Needs: scores
--
-- A run says which model is tuned from which (`selfknow evaluate --instruction-tuned-from`); the base is known by its
-- name, its label, or what it is called behind its endpoint's address.
--
-- Views are read once, as steps, and joined with themselves.
with differences as (
    select * from according_to_differences
),

replicates as (
    select * from according_to_replicates
),

pairs as (
    select
        tuned.dataset,
        tuned.format,
        base.format as base_format,
        tuned.placement,
        tuned.metric,
        tuned.prompt,
        tuned.kind,
        tuned.place,
        tuned.model_label as tuned,
        tuned.run_id as tuned_run_id,
        tuned.model as tuned_model,
        tuned.revision as tuned_revision,
        base.model_label as base,
        base.run_id as base_run_id,
        base.model as base_model,
        base.revision as base_revision,
        tuned.n,
        tuned.n_pairs as n_pairs_tuned,
        base.n_pairs as n_pairs_base,
        tuned.difference as tuned_difference,
        base.difference as base_difference
    from differences as tuned
    inner join differences as base
        on
            tuned.dataset = base.dataset
            and tuned.placement = base.placement
            and tuned.portrait is not distinct from base.portrait
            and tuned.metric = base.metric
            and tuned.prompt = base.prompt
    where
        tuned.instruction_tuned_from in (base.model, base.model_label)
        or ends_with(base.model, concat(' ', tuned.instruction_tuned_from))
    -- The paper asks a base model that says next to nothing in another format; what both were asked in goes first.
    qualify
        tuned.format = base.format
        or not bool_or(tuned.format = base.format) over (
            partition by
                tuned.run_id, tuned.model, tuned.revision, tuned.metric, tuned.prompt, base.model, base.revision
        )
),

gains as (
    select
        pairs.*,
        quantile_cont(tuned_replicates.difference - base_replicates.difference, [0.025, 0.975]) as ends
    from pairs
    inner join replicates as tuned_replicates
        on
            pairs.tuned_run_id = tuned_replicates.run_id
            and pairs.tuned_model = tuned_replicates.model
            and pairs.tuned_revision = tuned_replicates.revision
            and pairs.metric = tuned_replicates.metric
            and pairs.prompt = tuned_replicates.prompt
    inner join replicates as base_replicates
        on
            pairs.base_run_id = base_replicates.run_id
            and pairs.base_model = base_replicates.model
            and pairs.base_revision = base_replicates.revision
            and pairs.metric = base_replicates.metric
            and pairs.prompt = base_replicates.prompt
            and tuned_replicates.replicate = base_replicates.replicate
    group by all
)

select
    dataset,
    format,
    base_format,
    placement,
    metric,
    prompt,
    kind,
    tuned,
    base,
    tuned_run_id,
    base_run_id,
    n,
    n_pairs_tuned,
    n_pairs_base,
    tuned_difference,
    base_difference,
    tuned_difference - base_difference as gain,
    if(least(n_pairs_tuned, n_pairs_base) > 1, ends[1], null) as gain_low,
    if(least(n_pairs_tuned, n_pairs_base) > 1, ends[2], null) as gain_high
from gains
order by dataset, format, placement, tuned, base, metric, place
