-- unanswerable rows have one of the five categories, and answerable rows have none
-- Grain: an answerable row with a category, or an unanswerable row without one of the five.
-- Columns: split, id, category.
select
    split, id, category
from corpus
where case when answerable then category is not null else not coalesce(list_contains($categories, category), false) end
order by all
