-- according_to_scores: how much each model quotes under each prompt, and how well it answers.
-- Grain: one row per run, model, revision, metric and prompt.
-- Columns: those of `according_to_table`, and model, revision (the empty text if there is none) and place (of the
-- prompt in Table 1, from 1).
create or replace view according_to_scores as
-- All scores of a set of questions are one matrix, which is multiplied by that of all replicates.
with matrices as (
    select
        question_set, metric,
        list({
            'dataset': dataset, 'model_label': model_label, 'num_parameters': num_parameters, 'run_id': run_id,
            'model': model, 'revision': revision, 'format': format, 'placement': placement,
            'prompt': prompt, 'kind': kind, 'place': place,
            'n': len(scores), 'n_graded': list_count(scores), 'score': list_avg(scores)
        }) as cells,
        list(scores) as scores
    from according_to_cells
    group by all
),

resampled as (
    select
        metric,
        unnest(cells) as cell,
        unnest(weighted_means(scores, weights)) as replicates
    from matrices
    inner join according_to_draws using (question_set)
),

totals as (
    select
        metric,
        unnest(cell),
        list_percentiles(replicates) as ends
    from resampled
)

select
    * exclude (ends),
    score_interval(metric, ends, score, n_graded).low as score_low,
    score_interval(metric, ends, score, n_graded).high as score_high,
    1 - n_graded / n as share_unscored
from totals;
