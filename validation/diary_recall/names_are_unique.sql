-- a diarist's number and name belong together, in all rows
-- Grain: a number with several names, or a name with several numbers.
-- Columns: number and name (the first of each), other_number, other_name (the last of each).
with pairs as (
    select distinct
        split_part(id, '-', 2) as number,
        diarist as name
    from corpus
),

numbers as (
    select
        number,
        min(name) as name,
        max(name) as other_name
    from pairs
    group by number
),

names as (
    select
        name,
        min(number) as number,
        max(number) as other_number
    from pairs
    group by name
)

select
    number, name, number as other_number, other_name
from numbers
where name <> other_name
union all
select
    number, name, other_number, name as other_name
from names
where number <> other_number
order by all
