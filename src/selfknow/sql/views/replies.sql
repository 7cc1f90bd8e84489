-- replies: what was asked, what came back, and how it was scored.
-- Grain: one row per call.
-- Columns: run_id, example_id, model, stage, variant, sample; prompt (as the model received it), generation,
-- finish_reason, error (why there is no generation); scores (the value of each metric, by its name; null for a call
-- that was not scored).
create or replace view replies as
with values_by_call as (
    select generation_id, map_from_entries(list((metric, value) order by metric)) as scores
    from scores
    group by generation_id
)

select run_id, example_id, model, stage, variant, sample, prompt, generation, finish_reason, error, scores
from calls
left join values_by_call using (generation_id);
