-- Grain: a question that one setup asks and the other does not, or not with the same columns.
-- Columns: split, id, setup, prompt, completion, num_documents, document_lengths.
with of_standard as (
    select split, id, diarist, prompt, completion, num_documents, document_lengths from standard where kind = 'question'
),
of_simplified as (
    select split, id, diarist, prompt, completion, num_documents, document_lengths from simplified where kind = 'question'
),
different as (
    select 'standard' as setup, * from (from of_standard except from of_simplified)
    union all
    select 'simplified' as setup, * from (from of_simplified except from of_standard)
)
select split, id, setup, prompt, completion, num_documents, document_lengths
from different
order by all
