-- entry is the number of the entry in a standard document, and null in other rows
-- Grain: a row whose `entry` does not fit its kind and setup. Columns: split, id, kind, entry, num_documents.
select
    split, id, kind, entry, num_documents
from corpus
where
    case
        when kind = 'document' and not $simplified then not coalesce(entry between 1 and num_documents, false)
        else entry is not null
    end
order by all
