-- no question of a pool is repeated, ignoring case and punctuation
-- Grain: a repeated question. Columns: question, num_rows.
select
    normalized(question) as question,
    count(*) as num_rows
from corpus
where answerable
group by normalized(question)
having count(*) > 1
order by all
