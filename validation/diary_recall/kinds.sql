-- rows are documents or questions, and only train has documents
-- Grain: a row of an unknown kind, or of a kind that its split may not hold. Columns: split, id, kind.
select
    split, id, kind
from corpus
where kind is distinct from 'question' and (kind is distinct from 'document' or split <> 'train')
order by all
