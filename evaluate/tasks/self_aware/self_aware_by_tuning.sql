-- Does an instruction-tuned model know better what it does not know than the model that it was tuned from?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, section 4.4 and Figures 2, 4 and 5
-- Grain: one row per instruction-tuned model, its base, form, scorer, encoder, threshold and references.
-- Columns: question_set (the config that was asked), form, scorer, encoder, threshold, references_name; tuned, base
-- (labels), num_parameters of the tuned one; n replies of the tuned model, n_graded_tuned, n_graded_base; tuned_f1,
-- base_f1, chance_f1: always abstaining; gain (the one less the other), gain_low, gain_high (95%, bootstrap over pairs,
-- the same draws for both models; null for fewer than two pairs), chance_gain: 0.
-- Needs: scores
--
-- A run says which model is tuned from which (`selfknow evaluate --instruction-tuned-from`); the base is known by its
-- name, its label, or what it is called behind its endpoint's address.
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
        } as way
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
        tuned.way, tuned.setting as tuned_setting, base.setting as base_setting,
        tuned.model_label as tuned, base.model_label as base, tuned.num_parameters,
        tuned.n, tuned.n_graded as n_graded_tuned, base.n_graded as n_graded_base,
        tuned.f1 as tuned_f1, base.f1 as base_f1, tuned.chance_f1
    from rates as tuned
    inner join rates as base using (way)
    where is_base(base.model, base.model_label, tuned.instruction_tuned_from)
),

gains as (
    select pairs.*, percentiles(of_tuned.f1 - of_base.f1) as ends
    from pairs
    inner join replicates as of_tuned on pairs.tuned_setting = of_tuned.setting
    inner join replicates as of_base
        on pairs.base_setting = of_base.setting and of_tuned.replicate = of_base.replicate
    group by all
)

select
    way.*, tuned, base, num_parameters,
    n, n_graded_tuned, n_graded_base,
    tuned_f1, base_f1, chance_f1,
    tuned_f1 - base_f1 as gain,
    if(least(n_graded_tuned, n_graded_base) > 1, ends.low, null) as gain_low,
    if(least(n_graded_tuned, n_graded_base) > 1, ends.high, null) as gain_high,
    0::double as chance_gain
from gains
order by way.question_set, way.form, way.scorer, way.encoder, way.references_name, tuned, base
