-- What is the mean of each metric, whatever the task?
-- Source: every scorer's rows, as they are
-- Grain: one row a cohort, stage, variant and metric; the variants after-1, after-2, … stand together.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); stage, variant, metric; n calls, n_graded,
-- n_questions; mean, low and high (95%: Wilson where every value is 0 or 1, else the normal interval; of three
-- trainings or more that differ in their seed over seeds and questions, see `seed_intervals`), n_seeds, smallest,
-- largest. Chance lines are in the tasks' own queries.
-- Needs: scores
with asked as (
    select
        cohort,
        stage,
        regexp_replace(variant, '^after-[0-9]+$', 'after-*') as variant,
        count(*) as n
    from calls
    group by all
),

means as (
    select
        calls.cohort,
        calls.stage,
        regexp_replace(calls.variant, '^after-[0-9]+$', 'after-*') as variant,
        scores.metric,
        share(scores.value, calls.repetition) as mean,
        stddev_samp(scores.value) filter (where isfinite(scores.value)) as spread,
        bool_and(scores.value in (0, 1)) as is_share,
        min(scores.value) as smallest,
        max(scores.value) as largest
    from calls
    inner join scores on calls.generation_id = scores.generation_id
    group by all
),

intervals as (
    select
        *,
        1.959964 * spread / sqrt(nullif(mean.n_questions, 0)) as margin
    from means
)

select
    cohorts.cohort,
    cohorts.model_label,
    cohorts.dataset_size,
    cohorts.setup,
    intervals.stage,
    intervals.variant,
    intervals.metric,
    asked.n,
    intervals.mean.n_graded,
    intervals.mean.n_questions,
    intervals.mean.share as mean,
    coalesce(
        seed_intervals.low, if(intervals.is_share, intervals.mean.low, intervals.mean.share - intervals.margin)
    ) as low,
    coalesce(
        seed_intervals.high, if(intervals.is_share, intervals.mean.high, intervals.mean.share + intervals.margin)
    ) as high,
    cohorts.n_seeds,
    intervals.smallest,
    intervals.largest
from cohorts
inner join intervals on cohorts.cohort = intervals.cohort
inner join asked
    on intervals.cohort = asked.cohort and intervals.stage = asked.stage and intervals.variant = asked.variant
left join seed_intervals
    on
        intervals.cohort = seed_intervals.cohort
        and intervals.stage = seed_intervals.stage
        and intervals.variant = seed_intervals.variant
        and intervals.metric = seed_intervals.metric
order by cohorts.cohort, intervals.stage, intervals.variant, intervals.metric
