-- Does an instruction-tuned model know better what it does not know than the model that it was tuned from?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, section 4.4 and Figures 2, 4 and 5
-- Grain: one row per instruction-tuned model, its base, form, scorer, encoder, threshold and references.
-- Columns: question_set (the dataset's config), form, scorer, encoder, threshold, references_name; tuned, base
-- (labels), num_parameters of the tuned one; n replies of the tuned model, n_graded_tuned, n_graded_base; tuned_f1,
-- base_f1, chance_f1: always abstaining; gain (tuned_f1 minus base_f1), gain_low, gain_high (95%, bootstrap over pairs,
-- the same draws for both models; null for fewer than two pairs), chance_gain: 0.
-- Needs: scores
--
-- A run names the base of its model (`selfknow evaluate --instruction-tuned-from`): by the base's name, its label, or
-- its name at an endpoint.
with tuning as (
    select cohort, model, any_value(instruction_tuned_from) as instruction_tuned_from
    from models
    group by all
),

rates as (
    select
        rates.*, model_label, num_parameters, instruction_tuned_from,
        {
            'question_set': rates.question_set, 'form': form, 'scorer': scorer, 'encoder': encoder,
            'threshold': threshold, 'references_name': references_name
        } as setup
    from self_aware_rates as rates
    inner join cohorts using (cohort)
    inner join tuning using (cohort, model)
    where f1 is not null
),

replicates as (
    select setting, replicate, f1
    from self_aware_replicates
),

pairs as (
    select
        tuned.setup, tuned.setting as tuned_setting, base.setting as base_setting,
        tuned.model_label as tuned, base.model_label as base, tuned.num_parameters,
        tuned.n, tuned.n_graded as n_graded_tuned, base.n_graded as n_graded_base,
        tuned.f1 as tuned_f1, base.f1 as base_f1, tuned.chance_f1
    from rates as tuned
    inner join rates as base using (setup)
    where is_base(base.model, base.model_label, tuned.instruction_tuned_from)
),

gains as (
    select pairs.*, percentiles(tuned_replicates.f1 - base_replicates.f1) as ends
    from pairs
    inner join replicates as tuned_replicates on pairs.tuned_setting = tuned_replicates.setting
    inner join replicates as base_replicates
        on pairs.base_setting = base_replicates.setting and tuned_replicates.replicate = base_replicates.replicate
    group by all
)

select
    setup.*, tuned, base, num_parameters,
    n, n_graded_tuned, n_graded_base,
    tuned_f1, base_f1, chance_f1,
    tuned_f1 - base_f1 as gain,
    if(least(n_graded_tuned, n_graded_base) > 1, ends.low, null) as gain_low,
    if(least(n_graded_tuned, n_graded_base) > 1, ends.high, null) as gain_high,
    0::double as chance_gain
from gains
order by setup.question_set, setup.form, setup.scorer, setup.encoder, setup.references_name, tuned, base
