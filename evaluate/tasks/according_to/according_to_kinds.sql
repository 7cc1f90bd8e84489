-- Do the grounding prompts, taken together, make a model quote more?
-- Source: ours, over the prompts of Weller et al., "According to ...", Table 1: none is picked for its own score
-- Grain: one row per run, model, metric and kind of prompt (null, grounding, anti-grounding).
-- Columns: dataset, model_label, run_id, format, placement, metric, kind; n_prompts; n questions, n_graded those with a
-- value under the null prompt and under a prompt of the kind; score (a question's value is its mean over the kind's
-- prompts), score_low, score_high; null_score of the same questions; difference, difference_low, difference_high (95%,
-- bootstrap over questions, 1,000 replicates; Wilson's for a score of exactly 0 or 1; null for fewer than two
-- questions). The null prompt has no differences.
-- Needs: scores
with by_kind as (
    select
        dataset, model_label, run_id, format, placement, metric, kind, number, question_set,
        count(*) as n_prompts,
        means_by_place(
            flatten(list(range(1, len(scores) + 1)::integer[])), flatten(list(scores)), len(any_value(scores))
        ) as scores
    from according_to_cells
    group by all
),

pairs as (
    select
        prompted.*,
        list_transform(
            list_zip(prompted.scores, plain.scores), lambda pair: if(pair[2] is null, null, pair[1])
        ) as graded_scores,
        list_transform(list_zip(prompted.scores, plain.scores), lambda pair: pair[1] - pair[2]) as changes
    from by_kind as prompted
    inner join by_kind as plain using (number, metric)
    where plain.kind = 'null'
),

-- All scores of a set of questions are one matrix, which is multiplied by that of all replicates.
matrices as (
    select
        question_set, metric,
        list({
            'dataset': dataset, 'model_label': model_label, 'run_id': run_id, 'format': format,
            'placement': placement, 'metric': metric, 'kind': kind, 'n_prompts': n_prompts, 'n': len(scores),
            'n_graded': list_count(changes), 'score': list_avg(graded_scores), 'difference': list_avg(changes)
        }) as cells,
        list(graded_scores) as scores,
        list(changes) as changes
    from pairs
    group by all
),

resampled as (
    select
        unnest(cells) as cell,
        unnest(weighted_means(scores, weights)) as scores,
        unnest(weighted_means(changes, weights)) as differences
    from matrices
    inner join according_to_draws using (question_set)
),

totals as (
    select
        unnest(cell),
        list_percentiles(scores) as ends,
        list_percentiles(differences) as difference_ends
    from resampled
)

select
    dataset, model_label, run_id, format, placement, metric, kind, n_prompts, n, n_graded, score,
    resampled_interval(metric, ends, score, n_graded).low as score_low,
    resampled_interval(metric, ends, score, n_graded).high as score_high,
    score - difference as null_score,
    if(kind <> 'null', difference, null) as difference,
    if(kind <> 'null' and n_graded > 1, difference_ends.low, null) as difference_low,
    if(kind <> 'null' and n_graded > 1, difference_ends.high, null) as difference_high
from totals
order by
    dataset, model_label, run_id, metric, list_position(['null', 'grounding', 'anti-grounding'], kind)
