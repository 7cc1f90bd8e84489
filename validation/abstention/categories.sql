-- an unanswerable row has one of its config's categories, and an answerable one has none
-- Grain: a row with a wrong category. Columns: split, id, category.
select
    split, id, category
from corpus
where
    (answerable and category is not null)
    or (not answerable and (category is null or not list_contains($categories::varchar[], category)))
order by all
