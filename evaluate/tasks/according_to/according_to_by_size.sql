-- Do larger models quote more when they are asked to?
-- Source: Weller et al., "According to ...", section 4.2 and Figure 2
-- Grain: one row per run, model of known size and prompt except the null prompt; QUIP only.
-- Columns: dataset, format, placement, prompt, kind, suite, model_label, num_parameters, run_id; n questions, n_pairs
-- those with a value under both prompts, share_unscored the rest; null_score, score, difference, difference_low,
-- difference_high (95%, paired bootstrap over questions, 1,000 replicates); n_sizes (the number of model sizes with the
-- same dataset, prompt, format, placement and portrait), slope (the increase of the difference with a tenfold size:
-- least squares over these models), slope_low, slope_high (95%, the same replicates for all models; null for one size).
-- Needs: scores
with sized as (
    select
        *,
        {
            'dataset': dataset, 'format': format, 'placement': placement, 'portrait': portrait, 'prompt': prompt
        } as setting,
        log10(num_parameters) as size
    from according_to_differences
    where metric = 'quip' and num_parameters > 0
),

fitted as (
    select
        *,
        count(distinct num_parameters) over same_setting as n_sizes,
        regr_slope(difference, size) over same_setting as slope
    from sized
    window same_setting as (partition by setting)
),

slopes as (
    select
        setting, replicate,
        regr_slope(difference, size) as slope
    from (
        select setting, size, unnest(replicates) as difference, generate_subscripts(replicates, 1) as replicate
        from sized
    ) as replicates
    group by all
),

intervals as (
    select
        setting,
        percentiles(slope) as ends
    from slopes
    group by all
)

select
    dataset, format, placement, prompt, kind, suite, model_label, num_parameters, run_id, n, n_pairs,
    1 - n_pairs / n as share_unscored,
    null_score, score, difference, difference_low, difference_high, n_sizes,
    if(n_sizes > 1, slope, null) as slope,
    if(n_sizes > 1, ends.low, null) as slope_low,
    if(n_sizes > 1, ends.high, null) as slope_high
from fitted
inner join intervals using (setting)
order by dataset, format, placement, place, num_parameters, model_label, run_id
