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
        count(*) as n_prompts,
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

lists as (
    select
        run_id, model, revision, metric, kind,
        list(if(change is null, 0, value) order by example_id) as scores,
        list(coalesce(change, 0) order by example_id) as changes,
        list((change is not null)::double order by example_id) as graded
    from pairs
    group by all
),

sets as (
    select distinct question_set, ids
    from according_to_question_sets
),

draws as (
    select
        question_set, replicate,
        list_transform(ids, lambda id: poisson_weight(replicate, id)::double) as weights
    from sets
    cross join range(1000) as replicates (replicate)
),

replicates as (
    select
        run_id, model, revision, metric, kind,
        list_inner_product(scores, weights) / nullif(list_inner_product(graded, weights), 0) as score,
        list_inner_product(changes, weights) / nullif(list_inner_product(graded, weights), 0) as difference
    from lists
    inner join according_to_question_sets as asked using (run_id, model, revision)
    cross join draws
    -- A join on equality would copy all lists of one side for each pair.
    where coalesce(asked.question_set = draws.question_set, false)
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
