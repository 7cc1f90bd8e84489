-- a diarist has a given name and a surname, in ASCII letters
-- Grain: a diarist whose name has another form. Columns: diarist, num_rows.
with names as (
    select
        diarist, count(*) as num_rows
    from corpus
    group by diarist
)

select
    diarist, num_rows
from names
where not coalesce(regexp_full_match(diarist, '[A-Z][a-z]+ [A-Z][a-z]+'), false)
order by all
