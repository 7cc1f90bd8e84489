-- a standard document has the number of its entry, and no other row has one
-- Grain: a row whose column `entry` does not fit its kind and setup. Columns: split, id, kind, entry, num_documents.
select
    split, id, kind, entry, num_documents
from corpus
where
    case
        when kind = 'document' and not $simplified then not coalesce(entry between 1 and num_documents, false)
        else entry is not null
    end
order by all
