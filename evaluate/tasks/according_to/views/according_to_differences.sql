-- according_to_differences: what a prompt changes, against the null prompt on the same questions. Continuations have
-- no null prompt, and no row.
-- Grain: one row a run, model, revision, metric and prompt but the null prompt.
-- Columns: dataset, format, placement, portrait (its SHA-256), suite, model_label, num_parameters,
-- instruction_tuned_from, run_id, model, revision (the empty text where there is none), metric, prompt, kind, place; n
-- questions, n_pairs those with a value under both prompts; null_score, score (means over the pairs), difference,
-- difference_low, difference_high, relative_change (difference / null_score, null where that is not above 0),
-- relative_low, relative_high (95%, paired bootstrap over questions; null for fewer than two pairs); p_value (paired
-- sign flips, two-sided).
create or replace view according_to_differences as
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
        format,
        placement,
        portrait,
        suite,
        model_label,
        num_parameters,
        instruction_tuned_from,
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
    where kind not in ('null', 'continuation')
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
)

select
    totals.*,
    if(totals.n_pairs > 1, tested.difference_ends[1], null) as difference_low,
    if(totals.n_pairs > 1, tested.difference_ends[2], null) as difference_high,
    if(totals.null_score > 0, totals.difference / totals.null_score, null) as relative_change,
    if(totals.n_pairs > 1 and totals.null_score > 0, tested.relative_ends[1], null) as relative_low,
    if(totals.n_pairs > 1 and totals.null_score > 0, tested.relative_ends[2], null) as relative_high,
    tested.p_value
from totals
left join tested
    on
        totals.run_id = tested.run_id
        and totals.model = tested.model
        and totals.revision = tested.revision
        and totals.metric = tested.metric
        and totals.prompt = tested.prompt;
