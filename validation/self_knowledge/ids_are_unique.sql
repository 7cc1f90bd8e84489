-- ids are unique
-- Grain: an id of several rows. Columns: id, num_rows.
select
    id, count(*) as num_rows
from corpus
group by id
having count(*) > 1
order by all
