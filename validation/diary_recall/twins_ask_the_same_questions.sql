-- the two setups of a size ask the same questions in the same splits
-- Grain: a question that only one setup asks, or that differs in some columns.
-- Columns: split, id, diarist, in_standard and in_simplified (the split, null if it is not asked), different (the names
-- of the columns that differ).
with of_standard as (
    select * from standard
    where kind = 'question'
),

of_simplified as (
    select * from simplified
    where kind = 'question'
),

pairs as (
    select
        coalesce(of_standard.split, of_simplified.split) as split,
        id,
        coalesce(of_standard.diarist, of_simplified.diarist) as diarist,
        of_standard.split as in_standard, of_simplified.split as in_simplified,
        list_filter(
            [
                case when of_standard.split is distinct from of_simplified.split then 'split' end,
                case when of_standard.diarist is distinct from of_simplified.diarist then 'diarist' end,
                case when of_standard.prompt is distinct from of_simplified.prompt then 'prompt' end,
                case when of_standard.completion is distinct from of_simplified.completion then 'completion' end,
                case
                    when of_standard.num_documents is distinct from of_simplified.num_documents then 'num_documents'
                end,
                case
                    when of_standard.document_lengths is distinct from of_simplified.document_lengths
                        then 'document_lengths'
                end
            ],
            lambda name: name is not null
        ) as different
    from of_standard full join of_simplified using (id)
    where
        of_standard.split is distinct from of_simplified.split
        or of_standard.diarist is distinct from of_simplified.diarist
        or of_standard.prompt is distinct from of_simplified.prompt
        or of_standard.completion is distinct from of_simplified.completion
        or of_standard.num_documents is distinct from of_simplified.num_documents
        or of_standard.document_lengths is distinct from of_simplified.document_lengths
)

select
    split, id, diarist, in_standard, in_simplified, different
from pairs
order by all
