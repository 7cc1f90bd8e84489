-- in every split all numbers of entries are equally frequent, to within one
-- Grain: a split where one number of entries has at least two diarists more than another.
-- Columns: split, num_diarists (for 1, 2, … entries).
with splits as (
    select distinct split from corpus
),

numbers as (
    select
        split,
        unnest(range(1, $max_entries + 1)) as num_documents
    from splits
),

counts as (
    select
        split, num_documents, count(*) as num_diarists
    from corpus
    where kind = 'question'
    group by all
),

frequencies as (
    select
        split,
        list(coalesce(num_diarists, 0) order by num_documents) as num_diarists
    from numbers left join counts using (split, num_documents)
    group by split
)

select
    split, num_diarists
from frequencies
where list_max(num_diarists) - list_min(num_diarists) > 1
order by all
