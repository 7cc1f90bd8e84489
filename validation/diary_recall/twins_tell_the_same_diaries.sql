-- a simplified document is the diarist's standard documents, joined in order
-- Grain: a diarist whose simplified document is not the standard documents, joined in order.
-- Columns: diarist, line (of the first difference), in_standard, in_simplified (null if there is none).
with standard_documents as (
    select
        diarist, entry,
        prompt || completion as text
    from standard
    where kind = 'document'
),

single_documents as (
    select
        diarist,
        prompt || completion as text
    from simplified
    where kind = 'document'
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
    from standard_documents
),

-- Diarists with a document in another place. Joining is slow, so the others are left out.
suspects as (
    select coalesce(placed.diarist, single_documents.diarist) as diarist
    from placed full join single_documents on placed.diarist = single_documents.diarist
    where
        not coalesce(
            length(single_documents.text) + 1 = placed.total
            and substring(single_documents.text || chr(10), placed.place + 1, length(placed.text) + 1)
            = placed.text || chr(10),
            false
        )
    union
    select diarist
    from single_documents
    group by diarist
    having count(*) > 1
),

of_standard as (
    select
        standard_documents.diarist,
        string_agg(standard_documents.text, chr(10) order by standard_documents.entry) as text
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
