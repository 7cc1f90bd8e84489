-- every run folder can be read, and its tables have their columns
-- Grain: a run that cannot be read. Columns: run, why.
with unreadable as (select unnest($unreadable) as one)

select
    one.run, one.why
from unreadable
order by all
