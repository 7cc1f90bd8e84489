-- rows are documents or questions, and documents stand in train alone
-- Grain: a row of a kind that there is not, or that its split does not hold. Columns: split, id, kind.
select
    split, id, kind
from corpus
where kind is distinct from 'question' and (kind is distinct from 'document' or split <> 'train')
order by all
