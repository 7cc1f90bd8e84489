-- a diarist's entries are numbered from 1 without a gap, and none comes twice
-- Grain: a diarist whose entries are not numbered 1, 2, … without gap or repetition.
-- Columns: diarist, entries (the numbers in the documents), num_documents (as the rows say).
with asked as (
    select
        diarist,
        max(num_documents) as num_documents
    from corpus
    group by diarist
)

select
    diarist, told.numbers as entries, asked.num_documents
from asked left join told using (diarist)
where told.numbers is distinct from range(1, asked.num_documents + 1)
order by all
