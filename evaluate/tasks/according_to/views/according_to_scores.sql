-- according_to_scores: how much each model quotes under each prompt, and how well it answers.
-- Grain: one row per run, model, revision, metric and prompt.
-- Columns: those of `according_to_table`, and model, revision (the empty text if there is none) and place (of the
-- prompt in Table 1, from 1).
create or replace view according_to_scores as
with totals as (
    select
        dataset, model_label, num_parameters, run_id, model, revision, format, placement, metric, prompt, kind, place,
        count(*) as n,
        count(value) as n_graded,
        avg(value) as score
    from according_to_replies
    group by all
),

resampled as (
    select
        run_id, model, revision, metric, prompt,
        percentiles(score) as ends
    from according_to_replicates
    where not is_yes_or_no(metric)
    group by all
)

select
    totals.*,
    score_interval(metric, ends, score, n_graded).low as score_low,
    score_interval(metric, ends, score, n_graded).high as score_high,
    1 - n_graded / n as share_unscored
from totals
left join resampled using (run_id, model, revision, metric, prompt);
