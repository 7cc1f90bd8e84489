-- every category and every kind has its expected number of rows (the paper's shares)
-- Grain: a category of unanswerable questions, or a kind of answerable ones, with a different number of rows.
-- Columns: split, part, expected, actual.
with expected as (
    select unnest($row_counts, max_depth := 2)
),

counts as (
    select
        split,
        coalesce(category, split_part(source, '/', 1)) as part,
        count(*) as actual
    from corpus
    group by all
)

select
    coalesce(expected.split, counts.split) as split,
    part,
    coalesce(expected.expected, 0) as expected,
    coalesce(counts.actual, 0) as actual
from expected full join counts using (split, part)
where coalesce(expected.expected, 0) <> coalesce(counts.actual, 0)
order by all
