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
-- A question weighs Poisson(1) in a replicate, and its difference has either sign with equal chance in a flip. Both
-- come from MD5 of replicate and question, which is the seed: the same on every machine, and for all prompts.
with pairs as (
    select
        prompted.* exclude (revision),
        coalesce(prompted.revision, '') as revision,
        plain.value as null_value,
        prompted.value - plain.value as change
    from according_to_replies as prompted
    inner join according_to_replies as plain
        on
            prompted.run_id = plain.run_id
            and prompted.model = plain.model
            and prompted.revision is not distinct from plain.revision
            and prompted.metric = plain.metric
            and prompted.example_id = plain.example_id
    where prompted.prompt <> 'null' and plain.prompt = 'null'
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
        count(change) as n_pairs,
        avg(null_value) filter (where change is not null) as null_score,
        avg(value) filter (where change is not null) as score,
        avg(change) as difference
    from pairs
    group by all
),

draws as materialized (
    select
        questions.example_id,
        replicates.replicate,
        (md5_number_lower(concat(replicates.replicate, ',', questions.example_id)) + 1.0)
        / 18446744073709551617.0 as uniform,
        if(md5_number_upper(concat(replicates.replicate, ',', questions.example_id)) % 2 = 0, 1, -1) as sign
    from (select distinct example_id from pairs) as questions
    cross join range(1000) as replicates (replicate)
),

weights as materialized (
    select
        example_id,
        replicate,
        sign,
        -- the quantiles of Poisson(1)
        (uniform > 0.36787944117144233)::integer + (uniform > 0.7357588823428847)::integer
        + (uniform > 0.9196986029286058)::integer + (uniform > 0.9810118431238462)::integer
        + (uniform > 0.9963401531726563)::integer + (uniform > 0.9994058151824183)::integer
        + (uniform > 0.999916758850712)::integer + (uniform > 0.9999897508033253)::integer as weight
    from draws
),

replicates as (
    select
        pairs.run_id,
        pairs.model,
        pairs.revision,
        pairs.metric,
        pairs.prompt,
        weights.replicate,
        sum(weights.weight * pairs.change) / nullif(sum(weights.weight), 0) as difference,
        sum(weights.weight * pairs.change) / nullif(sum(weights.weight * pairs.null_value), 0) as relative_change,
        avg(weights.sign * pairs.change) as flipped
    from pairs
    inner join weights on pairs.example_id = weights.example_id
    where pairs.change is not null
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
    inner join replicates
        on
            totals.run_id = replicates.run_id
            and totals.model = replicates.model
            and totals.revision = replicates.revision
            and totals.metric = replicates.metric
            and totals.prompt = replicates.prompt
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
