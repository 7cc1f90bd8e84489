-- every split has the expected number of documents, questions and diarists (Table 2)
-- Grain: a split and a kind (or the diarists of train) with a different number than expected.
-- Columns: split, kind, expected, actual.
with expected as (
    select unnest($row_counts, max_depth := 2)
),

counts as (
    select
        split, kind, count(*) as actual
    from corpus
    group by split, kind
    union all
    select
        split,
        'diarist' as kind,
        count(distinct diarist) as actual
    from corpus
    where kind = 'document'
    group by split
)

select
    split, kind, expected.expected,
    coalesce(counts.actual, 0) as actual
from expected left join counts using (split, kind)
where expected.expected <> coalesce(counts.actual, 0)
order by all
