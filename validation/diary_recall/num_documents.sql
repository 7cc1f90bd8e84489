-- num_documents is the number of the diarist's entries, and in range
-- Grain: a row whose `num_documents` is not the number of the diarist's entries, or out of range.
-- Columns: split, id, num_documents, entries (in the documents).
select
    split, id, corpus.num_documents, diarists.num_documents as entries
from corpus left join diarists on corpus.diarist = diarists.diarist
where
    corpus.num_documents is distinct from diarists.num_documents
    or corpus.num_documents not between 1 and $max_entries
order by all
