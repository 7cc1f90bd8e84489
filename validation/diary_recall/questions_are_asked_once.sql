-- no diarist is asked twice, in one split or in two
-- Grain: a diarist who is asked several times. Columns: diarist, num_questions, splits.
select
    diarist, count(*) as num_questions,
    list_sort(list(distinct split)) as splits
from corpus
where kind = 'question'
group by diarist
having count(*) > 1
order by all
