-- seed_scores: the scores of each training for each question, in cohorts whose trainings differ in their seed.
-- Grain: one row per cohort, stage, variant, metric, question and seed of the training.
-- Columns: cohort, stage, variant, metric, example_id, training_seed; n calls, n_graded, value (the mean score, null if
-- no call could be scored).
create or replace view seed_scores as
select
    cohort, stage, variant, metric, example_id, training_seed,
    count(*) as n, count(value) as n_graded, avg(value) as value
from calls
inner join seed_cohorts using (cohort)
inner join scores using (generation_id)
where training_seed is not null
group by all;
