-- the answer follows from the instance's parameters, or is null if the task has no fixed answer
-- Grain: a row with another answer. Columns: split, id, answer, expected.
with fixed as (
    select
        split, id, answer,
        case
            when $task in ('total-count', 'designated-count', 'image-counting') then params ->> 'num'
            when $task = 'code' then params ->> 'output'
            when $task = 'image-color' then params ->> 'color'
            when
                $task in (
                    'fact', 'math', 'theorem', 'specific-mention', 'sentiment', 'sports-statistics', 'image-position'
                )
                then 'yes'
        end as expected
    from corpus
    where json_valid(params)
)

select
    split, id, answer, expected
from fixed
where answer is distinct from expected
order by all
