-- no two rows ask the same question, ignoring case and punctuation
-- Grain: a question of several rows, ignoring case, punctuation and white space. Columns: question, ids.
select
    normalized(question) as question,
    list(id order by id) as ids
from corpus
group by normalized(question)
having count(*) > 1
order by all
