-- there is one question about a diarist, in one split
-- Grain: a diarist with several questions. Columns: diarist, num_questions, splits.
select
    diarist, count(*) as num_questions,
    list_sort(list(distinct split)) as splits
from corpus
where kind = 'question'
group by diarist
having count(*) > 1
order by all
