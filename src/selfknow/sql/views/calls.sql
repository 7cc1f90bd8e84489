-- calls: the last attempt of every call, the only one that counts: the reply if there is one, else the failure.
-- Grain: one row per call: (run_id, example_id, stage, variant, sample, parent_generation_id, model, revision).
-- Columns: those of `generations`; task, cohort and training_seed (see `models`); repetition (numbers the replies of a
-- cohort to one question: 0 for the first sample of the first checkpoint, other checkpoints from 1000000 on).
-- A judge's replies (stage grade) are left out.
create or replace view calls as
select
    generations.*, task, cohort, training_seed,
    (training_number * 1000000 + sample)::integer as repetition
from generations
anti join retried_calls as later
    on
        generations.run_id = later.run_id
        and generations.example_id = later.example_id
        and generations.stage = later.stage
        and generations.variant = later.variant
        and generations.sample = later.sample
        and generations.parent_generation_id is not distinct from later.parent_generation_id
        and generations.model = later.model
        and generations.revision is not distinct from later.revision
        and generations.attempt < later.last_attempt
inner join models
    on
        generations.run_id = models.run_id
        and generations.model = models.model
        and generations.revision is not distinct from models.revision
where stage <> 'grade';
