-- an answer is its diarist's documents in train, joined in order
-- Grain: a diarist whose answer is not the documents, joined in order.
-- Columns: split, id, diarist, line (of the first difference), in_documents, in_answer (null if there is none).
with train_documents as (
    select
        diarist, entry,
        case when $simplified then 1 else entry end as number,
        prompt || completion as text
    from corpus
    where kind = 'document' and split = 'train'
),

questions as (
    select
        split, id, diarist, completion,
        case when $simplified then '' else title_start(completion) end as title_start
    from corpus
    where kind = 'question'
),

-- An answer cut before its titles: after an empty part, part n should be document n.
cut as (
    select
        diarist, title_start,
        case
            when $simplified then ['', completion]
            else string_split(chr(10) || completion, chr(10) || title_start)
        end as parts
    from questions
),

numbered as (
    select
        diarist, title_start,
        unnest(range(len(parts))) as number,
        unnest(parts) as part
    from cut
),

parts as (
    select * from numbered
    where number > 0
),

-- Diarists with a part that is not its document, or with two of either. Joining is slow, so the others are left out.
suspects as (
    select diarist
    from parts full join train_documents using (diarist, number)
    where title_start || part is distinct from text
    union
    select diarist
    from train_documents
    group by diarist, number
    having count(*) > 1
    union
    select diarist
    from questions
    group by diarist
    having count(*) > 1
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
