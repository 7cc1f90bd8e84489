-- according_to_scores: how much each model quotes under each prompt, and how well it answers.
-- Grain: one row a run, model, revision, metric and prompt.
-- Columns: those of `according_to_table`, and model, revision (the empty text where there is none) and place (of the
-- prompt in Table 1, from 1).
create or replace view according_to_scores as
with totals as (
    select
        dataset,
        model_label,
        num_parameters,
        run_id,
        model,
        coalesce(revision, '') as revision,
        format,
        placement,
        metric,
        prompt,
        kind,
        place,
        count(*) as n,
        count(value) as n_graded,
        sum(value) as total,
        avg(value) as score
    from according_to_replies
    group by all
),

intervals as (
    select
        run_id,
        model,
        revision,
        metric,
        prompt,
        quantile_cont(score, [0.025, 0.975]) as ends
    from according_to_replicates
    where metric not in ('exact_match', 'has_explanation', 'whole_word_match')
    group by all
)

select
    totals.dataset,
    totals.model_label,
    totals.num_parameters,
    totals.run_id,
    totals.model,
    totals.revision,
    totals.format,
    totals.placement,
    totals.metric,
    totals.prompt,
    totals.kind,
    totals.place,
    totals.n,
    totals.n_graded,
    totals.score,
    case
        when totals.metric in ('exact_match', 'has_explanation', 'whole_word_match')
            then wilson_low(totals.total, totals.n_graded)
        when totals.metric = 'quip_corrected' and totals.n_graded > 1 then intervals.ends[1]
        when totals.metric <> 'quip_corrected' then bootstrap_low(intervals.ends[1], totals.score, totals.n_graded)
    end as score_low,
    case
        when totals.metric in ('exact_match', 'has_explanation', 'whole_word_match')
            then wilson_high(totals.total, totals.n_graded)
        when totals.metric = 'quip_corrected' and totals.n_graded > 1 then intervals.ends[2]
        when totals.metric <> 'quip_corrected' then bootstrap_high(intervals.ends[2], totals.score, totals.n_graded)
    end as score_high,
    1 - totals.n_graded / totals.n as share_unscored
from totals
left join intervals
    on
        totals.run_id = intervals.run_id
        and totals.model = intervals.model
        and totals.revision = intervals.revision
        and totals.metric = intervals.metric
        and totals.prompt = intervals.prompt;
