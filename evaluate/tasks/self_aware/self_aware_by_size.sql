-- Do larger models know better what they do not know?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, section 4.4 and Figures 2 and 5
-- Grain: one row a model of known size, form, scorer, encoder, threshold and references.
-- Columns: question_set (the config that was asked), form, scorer, encoder, threshold, references_name; suite, model,
-- model_label, num_parameters, instruction_tuned (null where nobody knows); n replies, n_graded; f1 of abstaining with
-- f1_low and f1_high (95%, see self_aware_f1), chance_f1: always abstaining; n_sizes (how many sizes were asked that
-- in one way, instruction-tuned ones and others apart), slope (what a tenfold size adds to F1: least squares over
-- them), slope_low, slope_high (95%, bootstrap over pairs, the same draws for all models; null for one size).
-- Needs: scores
with tuning as (
    select
        cohort,
        model,
        bool_or(instruction_tuned) as instruction_tuned
    from models
    group by all
),

sized as (
    select
        rates.*,
        cohorts.suite,
        cohorts.model_label,
        cohorts.num_parameters,
        log10(cohorts.num_parameters) as size,
        tuning.instruction_tuned
    from self_aware_rates as rates
    inner join cohorts on rates.cohort = cohorts.cohort
    inner join tuning on rates.cohort = tuning.cohort and rates.model = tuning.model
    where cohorts.num_parameters > 0 and rates.f1 is not null
),

fitted as (
    select
        question_set,
        form,
        scorer,
        encoder,
        threshold,
        references_name,
        instruction_tuned,
        count(distinct num_parameters) as n_sizes,
        regr_slope(f1, size) as slope
    from sized
    group by all
),

replicates as (
    select
        sized.question_set,
        sized.form,
        sized.scorer,
        sized.encoder,
        sized.threshold,
        sized.references_name,
        sized.instruction_tuned,
        replicates.replicate,
        regr_slope(replicates.f1, sized.size) as slope
    from sized
    inner join self_aware_replicates as replicates
        on
            sized.cohort = replicates.cohort
            and sized.model = replicates.model
            and sized.form = replicates.form
            and sized.scorer = replicates.scorer
            and sized.encoder is not distinct from replicates.encoder
            and sized.threshold is not distinct from replicates.threshold
            and sized.references_name is not distinct from replicates.references_name
    group by all
),

intervals as (
    select
        question_set,
        form,
        scorer,
        encoder,
        threshold,
        references_name,
        instruction_tuned,
        quantile_cont(slope, [0.025, 0.975]) as ends
    from replicates
    group by all
)

select
    sized.question_set,
    sized.form,
    sized.scorer,
    sized.encoder,
    sized.threshold,
    sized.references_name,
    sized.suite,
    sized.model,
    sized.model_label,
    sized.num_parameters,
    sized.instruction_tuned,
    sized.n,
    sized.n_graded,
    sized.f1,
    sized.f1_low,
    sized.f1_high,
    sized.chance_f1,
    fitted.n_sizes,
    if(fitted.n_sizes > 1, fitted.slope, null) as slope,
    if(fitted.n_sizes > 1, intervals.ends[1], null) as slope_low,
    if(fitted.n_sizes > 1, intervals.ends[2], null) as slope_high
from sized
inner join fitted
    on
        sized.question_set is not distinct from fitted.question_set
        and sized.form = fitted.form
        and sized.scorer = fitted.scorer
        and sized.encoder is not distinct from fitted.encoder
        and sized.threshold is not distinct from fitted.threshold
        and sized.references_name is not distinct from fitted.references_name
        and sized.instruction_tuned is not distinct from fitted.instruction_tuned
inner join intervals
    on
        sized.question_set is not distinct from intervals.question_set
        and sized.form = intervals.form
        and sized.scorer = intervals.scorer
        and sized.encoder is not distinct from intervals.encoder
        and sized.threshold is not distinct from intervals.threshold
        and sized.references_name is not distinct from intervals.references_name
        and sized.instruction_tuned is not distinct from intervals.instruction_tuned
order by
    sized.question_set,
    sized.form,
    sized.scorer,
    sized.encoder,
    sized.references_name,
    sized.suite,
    sized.instruction_tuned,
    sized.num_parameters,
    sized.model_label
