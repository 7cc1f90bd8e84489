-- no row has a category or a pair: the authors gave neither
-- Grain: a row with a category or a pair. Columns: split, id, category, pair_id.
select
    split, id, category, pair_id
from corpus
where category is not null or pair_id is not null
order by all
