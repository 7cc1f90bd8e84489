-- every split has the asked number of documents, questions and diarists (Table 2)
-- Grain: a split and a kind (or the diarists of train) that are not as many as asked.
-- Columns: split, kind, expected, found.
with expected as (
    select unnest($row_counts, max_depth := 2)
),

found as (
    select
        split, kind, count(*) as found
    from corpus
    group by split, kind
    union all
    select
        split,
        'diarist' as kind,
        count(distinct diarist) as found
    from corpus
    where kind = 'document'
    group by split
)

select
    split, kind, expected.expected,
    coalesce(found.found, 0) as found
from expected left join found using (split, kind)
where expected.expected <> coalesce(found.found, 0)
order by all
