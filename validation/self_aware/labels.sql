-- a row is answerable if and only if it is in the split answerable
-- Grain: a row whose label is not its split's. Columns: split, id, answerable.
select
    split, id, answerable
from corpus
where answerable <> (split = 'answerable')
order by all
