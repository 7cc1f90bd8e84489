-- What does every metric come to, whatever the task?
-- Source: every scorer's rows, as they are
-- Grain: one row a cohort, stage, variant and metric; the variants after-1, after-2, … stand together.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); stage, variant, metric; n calls, n_graded,
-- n_questions; mean, low and high (95%: Wilson where every value is 0 or 1, else the normal interval), smallest,
-- largest. Chance lines stand in the questions' own files: there is none that would fit every metric.
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
        count(scores.value) as n_graded,
        count(scores.value) filter (where calls.sample = 0) as n_questions,
        avg(scores.value) as mean,
        stddev_samp(scores.value) filter (where isfinite(scores.value)) as spread,
        bool_and(scores.value in (0, 1)) as is_share,
        min(scores.value) as smallest,
        max(scores.value) as largest
    from calls
    inner join scores on calls.generation_id = scores.generation_id
    group by all
)

select
    cohorts.cohort,
    cohorts.model_label,
    cohorts.dataset_size,
    cohorts.setup,
    means.stage,
    means.variant,
    means.metric,
    asked.n,
    means.n_graded,
    means.n_questions,
    means.mean,
    case
        when means.is_share then wilson_low(means.mean * means.n_questions, means.n_questions)
        else means.mean - 1.959964 * means.spread / sqrt(nullif(means.n_questions, 0))
    end as low,
    case
        when means.is_share then wilson_high(means.mean * means.n_questions, means.n_questions)
        else means.mean + 1.959964 * means.spread / sqrt(nullif(means.n_questions, 0))
    end as high,
    means.smallest,
    means.largest
from cohorts
inner join means on cohorts.cohort = means.cohort
inner join asked on means.cohort = asked.cohort and means.stage = asked.stage and means.variant = asked.variant
order by cohorts.cohort, means.stage, means.variant, means.metric
