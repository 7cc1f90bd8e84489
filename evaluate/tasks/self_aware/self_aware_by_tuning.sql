-- Does an instruction-tuned model know better what it does not know than the model that it was tuned from?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, section 4.4 and Figures 2, 4 and 5
-- Grain: one row an instruction-tuned model, its base, form, scorer, encoder, threshold and references.
-- Columns: question_set (the config that was asked), form, scorer, encoder, threshold, references_name; tuned, base
-- (labels), num_parameters of the tuned one; n replies of the tuned model, n_graded_tuned, n_graded_base; tuned_f1,
-- base_f1, chance_f1: always abstaining; gain (the one less the other), gain_low, gain_high (95%, bootstrap over pairs,
-- the same draws for both models; null for fewer than two pairs), chance_gain: 0.
-- Needs: scores
--
-- A run says which model is tuned from which (`selfknow evaluate --instruction-tuned-from`); the base is known by its
-- name, its label, or what it is called behind its endpoint's address.
with tuning as (
    select
        cohort,
        model,
        any_value(instruction_tuned_from) as instruction_tuned_from
    from models
    group by all
),

rates as (
    select
        rates.*,
        cohorts.model_label,
        cohorts.num_parameters,
        tuning.instruction_tuned_from
    from self_aware_rates as rates
    inner join cohorts on rates.cohort = cohorts.cohort
    inner join tuning on rates.cohort = tuning.cohort and rates.model = tuning.model
    where rates.f1 is not null
),

replicates as (
    select * from self_aware_replicates
),

pairs as (
    select
        tuned.question_set,
        tuned.form,
        tuned.scorer,
        tuned.encoder,
        tuned.threshold,
        tuned.references_name,
        tuned.cohort as tuned_cohort,
        tuned.model as tuned_model,
        tuned.model_label as tuned,
        tuned.num_parameters,
        base.cohort as base_cohort,
        base.model as base_model,
        base.model_label as base,
        tuned.n,
        tuned.n_graded as n_graded_tuned,
        base.n_graded as n_graded_base,
        tuned.f1 as tuned_f1,
        base.f1 as base_f1,
        tuned.chance_f1
    from rates as tuned
    inner join rates as base
        on
            tuned.question_set is not distinct from base.question_set
            and tuned.form = base.form
            and tuned.scorer = base.scorer
            and tuned.encoder is not distinct from base.encoder
            and tuned.threshold is not distinct from base.threshold
            and tuned.references_name is not distinct from base.references_name
    where
        tuned.instruction_tuned_from in (base.model, base.model_label)
        or ends_with(base.model, concat(' ', tuned.instruction_tuned_from))
),

gains as (
    select
        pairs.*,
        quantile_cont(tuned_replicates.f1 - base_replicates.f1, [0.025, 0.975]) as ends
    from pairs
    inner join replicates as tuned_replicates
        on
            pairs.tuned_cohort = tuned_replicates.cohort
            and pairs.tuned_model = tuned_replicates.model
            and pairs.form = tuned_replicates.form
            and pairs.scorer = tuned_replicates.scorer
            and pairs.encoder is not distinct from tuned_replicates.encoder
            and pairs.threshold is not distinct from tuned_replicates.threshold
            and pairs.references_name is not distinct from tuned_replicates.references_name
    inner join replicates as base_replicates
        on
            pairs.base_cohort = base_replicates.cohort
            and pairs.base_model = base_replicates.model
            and pairs.form = base_replicates.form
            and pairs.scorer = base_replicates.scorer
            and pairs.encoder is not distinct from base_replicates.encoder
            and pairs.threshold is not distinct from base_replicates.threshold
            and pairs.references_name is not distinct from base_replicates.references_name
            and tuned_replicates.replicate = base_replicates.replicate
    group by all
)

select
    question_set,
    form,
    scorer,
    encoder,
    threshold,
    references_name,
    tuned,
    base,
    num_parameters,
    n,
    n_graded_tuned,
    n_graded_base,
    tuned_f1,
    base_f1,
    chance_f1,
    tuned_f1 - base_f1 as gain,
    if(least(n_graded_tuned, n_graded_base) > 1, ends[1], null) as gain_low,
    if(least(n_graded_tuned, n_graded_base) > 1, ends[2], null) as gain_high,
    0::double as chance_gain
from gains
order by question_set, form, scorer, encoder, references_name, tuned, base
