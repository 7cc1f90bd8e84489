-- a diarist's entries are numbered 1, 2, … without gaps or repetitions
-- Grain: a diarist whose entries are numbered otherwise.
-- Columns: diarist, entries (the numbers in the documents), num_documents (in the rows).
with counts as (
    select
        diarist,
        max(num_documents) as num_documents
    from corpus
    group by diarist
)

select
    diarist, diarists.numbers as entries, counts.num_documents
from counts left join diarists using (diarist)
where diarists.numbers is distinct from range(1, counts.num_documents + 1)
order by all
