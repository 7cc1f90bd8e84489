-- ids are unique in a config
-- Grain: an id of several rows. Columns: id, num_rows, splits.
with repeated as (
    select id
    from corpus
    group by id
    having count(*) > 1
)

select
    corpus.id, count(*) as num_rows,
    list_sort(list(distinct corpus.split)) as splits
from corpus semi join repeated on corpus.id is not distinct from repeated.id
group by corpus.id
order by all
