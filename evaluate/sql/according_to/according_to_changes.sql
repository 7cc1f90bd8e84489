-- What does a prompt change, against the null prompt on the same questions?
-- Source: Weller et al., "According to ...", Table 2
-- Grain: one row a run, model, metric and prompt but the null prompt.
-- Columns: dataset, model_label, num_parameters, run_id, metric, prompt, kind; n questions, n_pairs those with a value
-- under both prompts, share_unscored the rest; null_score, score (means over the pairs); difference, difference_low,
-- difference_high; relative_change (difference / null_score), relative_low, relative_high (95%, paired bootstrap over
-- questions, 1,000 replicates; null where the null prompt scores 0 or, corrected, less); p_value (paired sign flips,
-- two-sided), p_holm (corrected for all prompts of that run, model and metric, eleven where all were asked).
-- Needs: scores
--
-- Replicates and flips are those of the view `according_to_replicates`: the same for all prompts and models.
with paired as (
    select
        * exclude (revision),
        coalesce(revision, '') as revision,
        max(value) filter (where prompt = 'null') over (
            partition by run_id, model, coalesce(revision, ''), metric, example_id
        ) as null_value
    from according_to_replies
),

totals as (
    select
        dataset,
        model_label,
        num_parameters,
        run_id,
        model,
        revision,
        metric,
        prompt,
        kind,
        place,
        count(*) as n,
        count(value - null_value) as n_pairs,
        avg(null_value) filter (where value is not null) as null_score,
        avg(value) filter (where null_value is not null) as score,
        avg(value - null_value) as difference
    from paired
    where prompt <> 'null'
    group by all
),

tested as (
    select
        totals.run_id,
        totals.model,
        totals.revision,
        totals.metric,
        totals.prompt,
        quantile_cont(replicates.difference, [0.025, 0.975]) as difference_ends,
        quantile_cont(replicates.relative_change, [0.025, 0.975]) as relative_ends,
        (1 + count(*) filter (where abs(replicates.flipped) >= abs(totals.difference) - 1e-12)) / 1001 as p_value
    from totals
    inner join according_to_replicates as replicates
        on
            totals.run_id = replicates.run_id
            and totals.model = replicates.model
            and totals.revision = replicates.revision
            and totals.metric = replicates.metric
            and totals.prompt = replicates.prompt
    where totals.n_pairs > 0
    group by all
),

ranked as (
    select
        *,
        p_value * (
            count(*) over (partition by run_id, model, revision, metric) + 1
            - row_number() over (partition by run_id, model, revision, metric order by p_value, prompt)
        ) as stepped
    from tested
),

corrected as (
    select
        *,
        least(
            1,
            max(stepped) over (
                partition by run_id, model, revision, metric
                order by p_value, prompt
                rows between unbounded preceding and current row
            )
        ) as p_holm
    from ranked
)

select
    totals.dataset,
    totals.model_label,
    totals.num_parameters,
    totals.run_id,
    totals.metric,
    totals.prompt,
    totals.kind,
    totals.n,
    totals.n_pairs,
    1 - totals.n_pairs / totals.n as share_unscored,
    totals.null_score,
    totals.score,
    totals.difference,
    if(totals.n_pairs > 1, corrected.difference_ends[1], null) as difference_low,
    if(totals.n_pairs > 1, corrected.difference_ends[2], null) as difference_high,
    if(totals.null_score > 0, totals.difference / totals.null_score, null) as relative_change,
    if(totals.n_pairs > 1 and totals.null_score > 0, corrected.relative_ends[1], null) as relative_low,
    if(totals.n_pairs > 1 and totals.null_score > 0, corrected.relative_ends[2], null) as relative_high,
    corrected.p_value,
    corrected.p_holm
from totals
left join corrected
    on
        totals.run_id = corrected.run_id
        and totals.model = corrected.model
        and totals.revision = corrected.revision
        and totals.metric = corrected.metric
        and totals.prompt = corrected.prompt
order by totals.dataset, totals.model_label, totals.run_id, totals.metric, totals.place
