-- replies came after the start of their run and after their parents
-- Grain: a reply that came too early. Columns: run, generation_id, created_at, earliest.
with replies as (
    select
        described.run, child.generation_id, child.created_at,
        greatest(
            cast(regexp_extract(described.description, '\n  "created_at": "([^"]+)"', 1) as timestamptz),
            coalesce(parent.created_at, child.created_at)
        ) as earliest
    from generations as child
    inner join described on child.run_id = described.run_id
    left join generations as parent on child.parent_generation_id = parent.generation_id
)

select
    run, generation_id, created_at, earliest
from replies
where created_at < earliest
order by all
