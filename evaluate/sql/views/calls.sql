-- calls: the generations that count: of every call the last attempt, the answer if there is one, else the failure.
-- Grain: one row a call, which is (run_id, example_id, stage, variant, sample, parent_generation_id, model, revision).
-- Columns: those of `generations`; task, cohort and training_seed (see `models`); repetition (which answer of its
-- cohort to the same question: 0 for the first sample of the first checkpoint; trainings of other seeds count on).
-- The replies of a judge (stage grade) are no calls.
create or replace view calls as
select
    generations.*,
    models.task,
    models.cohort,
    models.training_seed,
    (models.training_number * 1000000 + generations.sample)::integer as repetition
from generations
inner join models
    on
        generations.run_id = models.run_id
        and generations.model = models.model
        and generations.revision is not distinct from models.revision
where
    generations.stage <> 'grade'
    and not exists (
        select 1
        from retried_calls as later
        where
            later.last_attempt > generations.attempt
            and later.run_id = generations.run_id
            and later.example_id = generations.example_id
            and later.stage = generations.stage
            and later.variant = generations.variant
            and later.sample = generations.sample
            and later.parent_generation_id is not distinct from generations.parent_generation_id
            and later.model = generations.model
            and later.revision is not distinct from generations.revision
    );
