-- What is the mean of each metric, whatever the task?
-- Source: every scorer's rows
-- Grain: one row per cohort, stage, variant and metric; the variants after-1, after-2, … count as one.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); stage, variant, metric; n calls, n_graded,
-- n_questions; mean, low and high (95%: Wilson if every value is 0 or 1, else the normal interval; for three or more
-- trainings that differ only in their seed, over seeds and questions, see `seed_intervals`), n_seeds, smallest,
-- largest. Chance lines are in the tasks' own queries.
-- Needs: scores
with asked as (
    select cohort, stage, regexp_replace(variant, '^after-[0-9]+$', 'after-*') as variant, count(*) as n
    from calls
    group by all
),

means as (
    select
        cohort, stage, regexp_replace(variant, '^after-[0-9]+$', 'after-*') as variant, metric,
        share(value, repetition) as mean,
        1.959964 * stddev_samp(value) filter (where isfinite(value)) as spread,
        bool_and(value in (0, 1)) as is_share,
        min(value) as smallest, max(value) as largest
    from calls
    inner join scores using (generation_id)
    group by all
),

intervals as (
    select *, spread / sqrt(nullif(mean.n_questions, 0)) as margin
    from means
)

select
    cohort, model_label, dataset_size, setup, stage, variant, metric,
    n, intervals.mean.n_graded, intervals.mean.n_questions, intervals.mean.share as mean,
    coalesce(
        seed_intervals.low, if(is_share, intervals.mean.low, intervals.mean.share - margin)
    ) as low,
    coalesce(
        seed_intervals.high, if(is_share, intervals.mean.high, intervals.mean.share + margin)
    ) as high,
    cohorts.n_seeds, smallest, largest
from cohorts
inner join intervals using (cohort)
inner join asked using (cohort, stage, variant)
left join seed_intervals using (cohort, stage, variant, metric)
order by cohort, stage, variant, metric
