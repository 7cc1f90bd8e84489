-- the rows of a split are answerable, or not, as its name says
-- Grain: a row whose label is not its split's. Columns: split, id, answerable.
select
    split, id, answerable
from corpus
where answerable <> (split = 'answerable')
order by all
