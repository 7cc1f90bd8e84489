-- there are answerable rows, and no more than the config allows
-- Grain: the answerable rows, if there are none or too many. Columns: actual, most.
select
    count(*) as actual,
    $questions as most
from corpus
where answerable
having count(*) not between 1 and $questions
