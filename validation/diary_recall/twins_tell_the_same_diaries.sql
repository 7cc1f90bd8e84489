-- a simplified document is the diarist's standard documents, joined in order
-- Grain: a diarist whose simplified document is not the standard documents, joined in order.
-- Columns: diarist, line (of the first difference), in_standard, in_simplified (null if there is none).
with standard_documents as (
    select
        diarist,
        entry as number,
        prompt || completion as text
    from standard
    where kind = 'document'
),

single_documents as (
    select
        diarist,
        prompt || completion as text,
        title_start(prompt) as title_start
    from simplified
    where kind = 'document'
),

-- A simplified document cut before its titles: after an empty part, part n should be the standard document n.
cut as (
    select
        diarist, title_start,
        string_split(chr(10) || text, chr(10) || title_start) as parts
    from single_documents
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
    from parts full join standard_documents using (diarist, number)
    where title_start || part is distinct from text
    union
    select diarist
    from standard_documents
    group by diarist, number
    having count(*) > 1
    union
    select diarist
    from single_documents
    group by diarist
    having count(*) > 1
),

of_standard as (
    select
        standard_documents.diarist,
        string_agg(standard_documents.text, chr(10) order by standard_documents.number) as text
    from standard_documents semi join suspects on standard_documents.diarist is not distinct from suspects.diarist
    group by standard_documents.diarist
),

of_simplified as (
    select
        single_documents.diarist,
        string_agg(single_documents.text, chr(10)) as text
    from single_documents semi join suspects on single_documents.diarist is not distinct from suspects.diarist
    group by single_documents.diarist
),

different as (
    select
        diarist,
        string_split(of_standard.text, chr(10)) as in_standard,
        string_split(of_simplified.text, chr(10)) as in_simplified
    from of_standard full join of_simplified using (diarist)
    where of_standard.text is distinct from of_simplified.text
),

first_differences as (
    select
        *,
        first_different_line(in_standard, in_simplified) as line
    from different
)

select
    diarist, line,
    in_standard[line] as in_standard,
    in_simplified[line] as in_simplified
from first_differences
order by all
