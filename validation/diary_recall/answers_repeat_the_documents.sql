-- an answer is its diarist's documents as they stand in train, joined in order
-- Grain: a diarist whose answer is not the documents, joined in order.
-- Columns: split, id, diarist, line (of the first difference), in_documents, in_answer (null where there is none).
with told as (
    select
        diarist, entry,
        prompt || completion as text
    from corpus
    where kind = 'document' and split = 'train'
),

-- Where a document stands in the joined text, and the length of the whole, each with a newline at its end.
placed as (
    select
        diarist, text,
        coalesce(
            sum(length(text) + 1) over (
                partition by diarist order by entry rows between unbounded preceding and 1 preceding
            ),
            0
        )::bigint as place,
        sum(length(text) + 1) over (partition by diarist) as total
    from told
),

questions as (
    select
        split, id, diarist, completion
    from corpus
    where kind = 'question'
),

-- Where one document is not at its place. Nothing is joined for the others, which takes far longer.
suspects as (
    select distinct coalesce(placed.diarist, questions.diarist) as diarist
    from placed full join questions on placed.diarist = questions.diarist
    where
        not coalesce(
            length(questions.completion) + 1 = placed.total
            and substring(questions.completion || chr(10), placed.place + 1, length(placed.text) + 1)
            = placed.text || chr(10),
            false
        )
),

documents as (
    select
        told.diarist,
        string_agg(told.text, chr(10) order by told.entry) as text
    from told semi join suspects on told.diarist is not distinct from suspects.diarist
    group by told.diarist
),

suspected as (
    select questions.*
    from questions semi join suspects on questions.diarist is not distinct from suspects.diarist
),

different as (
    select
        split, id, diarist,
        string_split(documents.text, chr(10)) as in_documents,
        string_split(suspected.completion, chr(10)) as in_answer
    from documents full join suspected using (diarist)
    where documents.text is distinct from suspected.completion
),

first_differences as (
    select
        *,
        first_different_line(in_documents, in_answer) as line
    from different
)

select
    split, id, diarist, line,
    in_documents[line] as in_documents,
    in_answer[line] as in_answer
from first_differences
order by all
