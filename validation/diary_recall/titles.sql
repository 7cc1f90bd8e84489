-- an entry opens with its diarist's name and its number, in the words of the title's template
-- Grain: a title with another name or number, or in other words. Columns: split, id, title, expected.
with titles as (
    select
        split, id, title,
        replace(replace($title, '{name}', diarist), '{entry}', number::varchar) as expected
    from entries
    union all
    select
        split, id, prompt as title,
        replace(replace($title, '{name}', diarist), '{entry}', coalesce(entry, 1)::varchar) || chr(10) as expected
    from corpus
    where kind = 'document'
)

select
    split, id, title, expected
from titles
where title is distinct from expected
order by all
