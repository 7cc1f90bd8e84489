-- Do larger models know better what they do not know?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, section 4.4 and Figures 2 and 5
-- Grain: one row per model of known size, form, scorer, encoder, threshold and references.
-- Columns: question_set (the dataset's config), form, scorer, encoder, threshold, references_name; suite, model,
-- model_label, num_parameters, instruction_tuned (null if unknown); n replies, n_graded; f1 of abstaining with f1_low
-- and f1_high (95%, see self_aware_f1), chance_f1: always abstaining; n_sizes (the number of model sizes with the same
-- setup, separately for instruction-tuned models and others), slope (the increase of F1 with a tenfold size: least
-- squares over them), slope_low, slope_high (95%, bootstrap over pairs, the same draws for all models; null for one
-- size).
-- Needs: scores
with tuning as (
    select cohort, model, bool_or(instruction_tuned) as instruction_tuned
    from models
    group by all
),

sized as (
    select
        rates.*, suite, model_label, num_parameters, instruction_tuned, log10(num_parameters) as size,
        {
            'question_set': rates.question_set, 'form': form, 'scorer': scorer, 'encoder': encoder,
            'threshold': threshold, 'references_name': references_name, 'instruction_tuned': instruction_tuned
        } as setup
    from self_aware_rates as rates
    inner join cohorts using (cohort)
    inner join tuning using (cohort, model)
    where num_parameters > 0 and f1 is not null
),

replicates as (
    select setup, replicate, regr_slope(replicates.f1, size) as slope
    from sized
    inner join self_aware_replicates as replicates using (setting)
    group by all
),

slopes as (
    select setup, percentiles(slope) as ends
    from replicates
    group by setup
)

select
    question_set, form, scorer, encoder, threshold, references_name,
    suite, model, model_label, num_parameters, instruction_tuned,
    n, n_graded, f1, f1_low, f1_high, chance_f1,
    count(distinct num_parameters) over same_setup as n_sizes,
    if(n_sizes > 1, regr_slope(f1, size) over same_setup, null) as slope,
    if(n_sizes > 1, ends.low, null) as slope_low, if(n_sizes > 1, ends.high, null) as slope_high
from sized
inner join slopes using (setup)
window same_setup as (partition by setup)
order by
    question_set, form, scorer, encoder, references_name, suite, instruction_tuned, num_parameters, model_label
