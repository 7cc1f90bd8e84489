-- every instance stands there in the three styles, and no other
-- Grain: an instance that is asked for and does not stand there in the three styles, or stands there unasked for.
-- Columns: number, styles.
with found as (
    select
        try_cast(regexp_extract(id, '-([0-9]{3})-[a-z]+$', 1) as integer) as number,
        list_sort(list(style)) as styles
    from corpus
    group by number
),

asked as (
    select unnest(range($num_instances)) as number
)

select
    number, styles
from asked full join found using (number)
where styles is distinct from list_sort($styles) or asked.number is null
order by all
