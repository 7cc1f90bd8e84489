-- a simplified document is the diarist's standard documents, joined in order
-- Grain: a diarist whose simplified document is not the standard documents, joined in order.
-- Columns: diarist, line (of the first difference), in_standard, in_simplified (null where there is none).
with told as (
    select
        diarist, entry,
        prompt || completion as text
    from standard
    where kind = 'document'
),

told_at_once as (
    select
        diarist,
        prompt || completion as text
    from simplified
    where kind = 'document'
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

-- Where one document is not at its place. Nothing is joined for the others, which takes far longer.
suspects as (
    select coalesce(placed.diarist, told_at_once.diarist) as diarist
    from placed full join told_at_once on placed.diarist = told_at_once.diarist
    where
        not coalesce(
            length(told_at_once.text) + 1 = placed.total
            and substring(told_at_once.text || chr(10), placed.place + 1, length(placed.text) + 1)
            = placed.text || chr(10),
            false
        )
    union
    select diarist
    from told_at_once
    group by diarist
    having count(*) > 1
),

of_standard as (
    select
        told.diarist,
        string_agg(told.text, chr(10) order by told.entry) as text
    from told semi join suspects on told.diarist is not distinct from suspects.diarist
    group by told.diarist
),

of_simplified as (
    select
        told_at_once.diarist,
        string_agg(told_at_once.text, chr(10)) as text
    from told_at_once semi join suspects on told_at_once.diarist is not distinct from suspects.diarist
    group by told_at_once.diarist
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
