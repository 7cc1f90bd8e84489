-- according_to_differences: the difference between a prompt and the null prompt on the same questions. Continuations
-- have no null prompt, so they have no row.
-- Grain: one row per run, model, revision, metric and prompt except the null prompt.
-- Columns: dataset, format, placement, portrait (its SHA-256), suite, model_label, num_parameters,
-- instruction_tuned_from, run_id, model, revision (the empty text if there is none), metric, prompt, kind, place; n
-- questions, n_pairs those with a value under both prompts; null_score, score (means over the pairs), difference,
-- difference_low, difference_high, relative_change (difference / null_score, null if null_score is not above 0),
-- relative_low, relative_high (95%, paired bootstrap over questions; null for fewer than two pairs); p_value (paired
-- sign flips, two-sided).
create or replace view according_to_differences as
with totals as (
    select
        dataset, format, placement, portrait, suite, model_label, num_parameters, instruction_tuned_from,
        run_id, model, revision, metric, prompt, kind, place,
        count(*) as n,
        count(value - null_value) as n_pairs,
        avg(null_value) filter (where value is not null) as null_score,
        avg(value) filter (where null_value is not null) as score,
        avg(value - null_value) as difference
    from according_to_replies
    where kind not in ('null', 'continuation')
    group by all
),

tested as (
    select
        run_id, model, revision, metric, prompt,
        percentiles(replicates.difference) as ends,
        percentiles(relative_change) as relative_ends,
        (1 + count(*) filter (where abs(flipped) >= abs(totals.difference) - 1e-12)) / 1001 as p_value
    from totals
    inner join according_to_replicates as replicates using (run_id, model, revision, metric, prompt)
    where n_pairs > 0
    group by all
)

select
    totals.*,
    if(n_pairs > 1, ends.low, null) as difference_low,
    if(n_pairs > 1, ends.high, null) as difference_high,
    if(null_score > 0, difference / null_score, null) as relative_change,
    if(n_pairs > 1 and null_score > 0, relative_ends.low, null) as relative_low,
    if(n_pairs > 1 and null_score > 0, relative_ends.high, null) as relative_high,
    p_value
from totals
left join tested using (run_id, model, revision, metric, prompt);
