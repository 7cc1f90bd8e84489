-- an id is the row's task, the instance's number and the style, and the task is the config
-- Grain: a row whose id is not its task, a number and its style. Columns: split, id, task, style.
select
    split, id, task, style
from corpus
where
    task is distinct from $task
    or not coalesce(regexp_full_match(id, $task || '-[0-9]{3}-' || style), false)
order by all
