-- every run folder can be read, and its tables have their columns
-- Grain: a run that cannot be read. Columns: run, error.
with unreadable as (select unnest($unreadable) as run)

select
    run.run, run.error
from unreadable
order by all
