-- every pair has one unanswerable question, which has the pair's id, and at least one answerable question
-- Grain: a pair without exactly one such unanswerable question or without answerable ones, or the rows without a pair.
-- Columns: pair_id, num_unanswerable, num_answerable.
with pairs as (
    select
        pair_id,
        count(*) filter (where not answerable) as num_unanswerable,
        count(*) filter (where not answerable and id = pair_id) as num_named,
        count(*) filter (where answerable) as num_answerable
    from corpus
    group by pair_id
)

select
    pair_id, num_unanswerable, num_answerable
from pairs
where pair_id is null or num_unanswerable <> 1 or num_named <> 1 or num_answerable = 0
order by all
