-- every pair_id names an answerable row
-- Grain: a row whose pair_id names no answerable row. Columns: split, id, pair_id.
with answerable as (
    select id
    from corpus
    where answerable
)

select
    corpus.split, corpus.id, corpus.pair_id
from corpus
left join answerable on corpus.pair_id = answerable.id
where corpus.pair_id is not null and answerable.id is null
order by all
