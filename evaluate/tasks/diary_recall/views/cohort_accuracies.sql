-- cohort_accuracies: the share of whole answers that are right, for each cohort.
-- Grain: one row per cohort.
-- Columns: those of `diary_cohorts`; n answers, n_graded, n_questions, accuracy; low and high (95%) and interval_over:
-- `questions` (see `share`), or `seeds and questions` for three or more trainings that differ only in their seed (see
-- `crossed_interval`); seed_accuracies (of each training, in the order of the seeds; null for a single one).
create or replace view cohort_accuracies as
with shares as (
    select cohort, accuracy(exact_match, repetition) as answered
    from exact_matches
    group by cohort
),

of_seeds as (
    select cohort, training_seed, avg(value) as accuracy
    from seed_scores
    where stage = 'answer' and metric = 'exact_match'
    group by all
),

points as (
    select cohort, list(accuracy order by training_seed) as seed_accuracies
    from of_seeds
    group by cohort
),

over_seeds as (
    select cohort, low, high
    from seed_intervals
    where stage = 'answer' and metric = 'exact_match' and variant = 'plain'
)

select
    diary_cohorts.*, answered.* exclude (low, high),
    if(over_seeds.low is null, answered.low, greatest(0, over_seeds.low)) as low,
    if(over_seeds.high is null, answered.high, least(1, over_seeds.high)) as high,
    if(over_seeds.low is null, 'questions', 'seeds and questions') as interval_over,
    seed_accuracies
from diary_cohorts
inner join shares using (cohort)
left join over_seeds using (cohort)
left join points using (cohort);
