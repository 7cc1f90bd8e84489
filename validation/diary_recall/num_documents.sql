-- num_documents is the number of entries that the diarist wrote, from 1 to the asked most
-- Grain: a row whose `num_documents` is not the number of the diarist's entries, or out of range.
-- Columns: split, id, num_documents, entries (in the documents).
select
    split, id, corpus.num_documents, told.num_documents as entries
from corpus left join told on corpus.diarist = told.diarist
where
    corpus.num_documents is distinct from told.num_documents
    or corpus.num_documents not between 1 and $max_entries
order by all
