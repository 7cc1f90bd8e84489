-- seed_scores: what each training got for each question, of cohorts whose trainings differ in their seed.
-- Grain: one row a cohort, stage, variant, metric, question and seed of the training.
-- Columns: cohort, stage, variant, metric, example_id, training_seed; n calls, n_graded, value (their mean, null where
-- nothing could be scored).
create or replace view seed_scores as
select
    calls.cohort,
    calls.stage,
    calls.variant,
    scores.metric,
    calls.example_id,
    calls.training_seed,
    count(*) as n,
    count(scores.value) as n_graded,
    avg(scores.value) as value
from calls
inner join seed_cohorts on calls.cohort = seed_cohorts.cohort
inner join scores on calls.generation_id = scores.generation_id
where calls.training_seed is not null
group by all;
