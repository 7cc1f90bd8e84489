-- seed_intervals: the mean over trainings that differ only in their seed, with an interval over seeds and questions.
-- Grain: one row per cohort, stage, variant and metric, of cohorts with several seeds.
-- Columns: cohort, stage, variant, metric; n_seeds; n_questions (those graded under every seed); mean over these
-- questions; low and high (95%, seeds and questions crossed; null for fewer than three seeds; see
-- `crossed_interval`).
create or replace view seed_intervals as
with complete as (
    select *
    from seed_scores
    inner join seed_cohorts using (cohort)
    where value is not null
    qualify count(*) over (partition by cohort, stage, variant, metric, example_id) = n_seeds
),

with_means as (
    select
        *,
        avg(value) over (partition by cohort, stage, variant, metric) as mean,
        avg(value) over (partition by cohort, stage, variant, metric, training_seed) as mean_of_seed,
        avg(value) over (partition by cohort, stage, variant, metric, example_id) as mean_of_question
    from complete
),

squares as (
    select
        cohort, stage, variant, metric,
        n_seeds, count(distinct example_id) as n_questions, avg(value) as mean,
        sum(power(mean_of_seed - mean, 2)) as between_seeds,
        sum(power(mean_of_question - mean, 2)) as between_questions,
        sum(power(value - mean_of_seed - mean_of_question + mean, 2)) as rest
    from with_means
    group by all
)

select
    * exclude (between_seeds, between_questions, rest),
    unnest(crossed_interval(mean, n_seeds, n_questions, between_seeds, between_questions, rest))
from squares;
