-- an answer is its diarist's documents in train, joined in order
-- Grain: a diarist whose answer is not the documents, joined in order.
-- Columns: split, id, diarist, line (of the first difference), in_documents, in_answer (null if there is none).
with train_documents as (
    select
        diarist, entry,
        prompt || completion as text
    from corpus
    where kind = 'document' and split = 'train'
),

-- The place of a document in the joined text, and the length of the whole, each with a newline at its end.
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
    from train_documents
),

questions as (
    select
        split, id, diarist, completion
    from corpus
    where kind = 'question'
),

-- Diarists with a document in another place. Joining is slow, so the others are left out.
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
        train_documents.diarist,
        string_agg(train_documents.text, chr(10) order by train_documents.entry) as text
    from train_documents semi join suspects on train_documents.diarist is not distinct from suspects.diarist
    group by train_documents.diarist
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
