-- What can be compared in these runs?
-- Source: every scorer's rows
-- Grain: one row a run, model, revision, metric and variant.
-- Columns: run_id, model, revision, metric, variant; n values.
-- Needs: scores
select
    calls.run_id,
    calls.model,
    calls.revision,
    scores.metric,
    calls.variant,
    count(scores.value) as n
from calls
inner join scores on calls.generation_id = scores.generation_id
group by all
order by all
