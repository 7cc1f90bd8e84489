-- the parent of a reply is a reply of the same run about the same example
-- Grain: a reply with another parent. Columns: split, id, run, example_id, parent_id.
select
    child.split, child.id, child.run, child.example_id, child.parent_id
from corpus as child
left join corpus as parent on child.parent_id = parent.id
where
    child.parent_id is not null
    and not coalesce(
        parent.run = child.run
        and parent.example_id = child.example_id
        and parent.generation is not null
        and parent.id <> child.id,
        false
    )
order by all
