-- unanswerable rows have one of the five categories, answerable ones none
-- Grain: an answerable row with a category, or an unanswerable one with another. Columns: split, id, category.
select
    split, id, category
from corpus
where case when answerable then category is not null else not coalesce(list_contains($categories, category), false) end
order by all
