-- every instance is there in all three styles, and there are no others
-- Grain: an instance that lacks a style, or is unknown. Columns: number, styles.
with instances as (
    select
        try_cast(regexp_extract(id, '-([0-9]{3})-[a-z]+$', 1) as integer) as number,
        list_sort(list(style)) as styles
    from corpus
    group by number
),

expected as (
    select unnest(range($num_instances)) as number
)

select
    number, styles
from expected full join instances using (number)
where styles is distinct from list_sort($styles) or expected.number is null
order by all
