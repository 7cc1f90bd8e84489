-- replies: the prompt, the reply and the scores of each call.
-- Grain: one row per call.
-- Columns: run_id, example_id, model, stage, variant, sample; prompt (as the model received it), generation,
-- finish_reason, error (why there is no generation); scores (the value of each metric, by its name; null for a call
-- without scores).
create or replace view replies as
with values_by_call as (
    select generation_id, map_from_entries(list((metric, value) order by metric)) as scores
    from scores
    group by generation_id
)

select run_id, example_id, model, stage, variant, sample, prompt, generation, finish_reason, error, scores
from calls
left join values_by_call using (generation_id);
