-- What can be compared in these runs?
-- Source: every scorer's rows
-- Grain: one row per run, model, revision, metric and variant.
-- Columns: run_id, model, revision, metric, variant; n values.
-- Needs: scores
select run_id, model, revision, metric, variant, count(value) as n
from calls
inner join scores using (generation_id)
group by all
order by all
