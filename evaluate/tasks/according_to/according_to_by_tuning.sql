-- Does an instruction-tuned model quote more on request than the model that it was tuned from?
-- Source: Weller et al., "According to ...", section 4.3 and Figure 4
-- Grain: one row per run of an instruction-tuned model, a run of its base over the same portrait, metric and prompt
-- except the null prompt.
-- Columns: dataset, format, base_format (differs only if the base has no run in the first format), placement,
-- metric, prompt, kind; tuned, base (labels), tuned_run_id, base_run_id; n questions, n_pairs_tuned and n_pairs_base
-- those with a value under both prompts; tuned_difference, base_difference (from the null prompt), gain (the first
-- minus the second), gain_low, gain_high (95%, bootstrap over questions, 1,000 replicates, the same for both models).
-- Needs: scores
--
-- A run names the base of its model (`selfknow evaluate --instruction-tuned-from`): by the base's name, its label, or
-- its name at an endpoint.
--
-- The view is a step of its own, so that it is read only once.
with differences as (
    select *
    from according_to_differences
),

pairs as (
    select
        dataset, tuned.format, base.format as base_format, placement, metric, prompt, tuned.kind, tuned.place,
        tuned.model_label as tuned, base.model_label as base, tuned.run_id as tuned_run_id, base.run_id as base_run_id,
        tuned.n, tuned.n_pairs as n_pairs_tuned, base.n_pairs as n_pairs_base,
        tuned.difference as tuned_difference, base.difference as base_difference,
        tuned_difference - base_difference as gain,
        list_percentiles(
            list_transform(list_zip(tuned.replicates, base.replicates), lambda pair: pair[1] - pair[2])
        ) as ends
    from differences as tuned
    inner join differences as base using (dataset, placement, metric, prompt)
    where
        tuned.portrait is not distinct from base.portrait
        and is_base(base.model, base.model_label, tuned.instruction_tuned_from)
    -- The paper asks a base model with very short replies in another format; a format that both have is preferred.
    qualify
        tuned.format = base.format
        or not bool_or(tuned.format = base.format) over (
            partition by tuned.run_id, tuned.model, tuned.revision, metric, prompt, base.model, base.revision
        )
)

select
    dataset, format, base_format, placement, metric, prompt, kind, tuned, base, tuned_run_id, base_run_id,
    n, n_pairs_tuned, n_pairs_base, tuned_difference, base_difference, gain,
    if(least(n_pairs_tuned, n_pairs_base) > 1, ends.low, null) as gain_low,
    if(least(n_pairs_tuned, n_pairs_base) > 1, ends.high, null) as gain_high
from pairs
order by dataset, format, placement, tuned, base, metric, place
