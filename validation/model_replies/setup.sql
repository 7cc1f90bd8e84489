-- The view `corpus` holds the rows of the config; `generations` and `scores` hold the files of its runs.

-- described. Grain: a run. Columns: the values of its run.json, of its examples and of the manifest's entry.
create temp table described as
with listed as (select unnest($runs) as run)

select unnest(run)
from listed;
