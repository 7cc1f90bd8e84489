-- Do the grounding prompts, taken together, make a model quote more?
-- Source: ours, over the prompts of Weller et al., "According to ...", Table 1: none is picked for its own score
-- Grain: one row per run, model, metric and kind of prompt (null, grounding, anti-grounding).
-- Columns: dataset, model_label, run_id, format, placement, metric, kind; n_prompts; n questions, n_graded those with a
-- value under the null prompt and under a prompt of the kind; score (a question's value is its mean over the kind's
-- prompts), score_low, score_high; null_score of the same questions; difference, difference_low, difference_high (95%,
-- bootstrap over questions, 1,000 replicates; Wilson's for a score of exactly 0 or 1; null for fewer than two
-- questions). The null prompt has no differences.
-- Needs: scores
with by_question as (
    select
        dataset, model_label, run_id, model, revision, format, placement, metric, kind, example_id,
        count(distinct prompt) as n_prompts,
        avg(value) as value
    from according_to_replies
    group by all
),

pairs as (
    select
        prompted.*,
        plain.value as null_value,
        prompted.value - plain.value as change
    from by_question as prompted
    inner join by_question as plain using (run_id, model, revision, metric, example_id)
    where plain.kind = 'null'
),

totals as (
    select
        dataset, model_label, run_id, model, revision, format, placement, metric, kind,
        max(n_prompts) as n_prompts, count(*) as n, count(change) as n_graded,
        avg(value) filter (where change is not null) as score,
        avg(null_value) filter (where change is not null) as null_score
    from pairs
    group by all
),

weights as materialized (
    select
        example_id, replicate,
        poisson_weight(replicate, example_id) as weight
    from (select distinct example_id from pairs) as questions
    cross join range(1000) as replicates (replicate)
),

replicates as (
    select
        run_id, model, revision, metric, kind, replicate,
        sum(weight * value) / nullif(sum(weight), 0) as score,
        sum(weight * change) / nullif(sum(weight), 0) as difference
    from pairs
    inner join weights using (example_id)
    where change is not null
    group by all
),

resampled as (
    select
        run_id, model, revision, metric, kind,
        percentiles(score) as ends,
        percentiles(difference) as difference_ends
    from replicates
    group by all
)

select
    dataset, model_label, run_id, format, placement, metric, kind, n_prompts, n, n_graded, score,
    resampled_interval(metric, ends, score, n_graded).low as score_low,
    resampled_interval(metric, ends, score, n_graded).high as score_high,
    null_score,
    if(kind <> 'null', score - null_score, null) as difference,
    if(kind <> 'null' and n_graded > 1, difference_ends.low, null) as difference_low,
    if(kind <> 'null' and n_graded > 1, difference_ends.high, null) as difference_high
from totals
left join resampled using (run_id, model, revision, metric, kind)
order by
    dataset, model_label, run_id, metric, list_position(['null', 'grounding', 'anti-grounding'], kind)
