-- no column but entry is null, and no length is null
-- Grain: a row with a null in a column that needs a value. Columns: split, and those columns.
select
    split, id, kind, diarist, prompt, completion, num_documents, document_lengths
from corpus
where
    id is null or kind is null or diarist is null or prompt is null or completion is null
    or num_documents is null or document_lengths is null or list_count(document_lengths) < len(document_lengths)
order by all
