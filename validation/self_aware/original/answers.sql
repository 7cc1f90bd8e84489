-- every answerable row has an answer, and unanswerable rows have none
-- Grain: an answerable row without an answer, or an unanswerable one with an answer.
-- Columns: split, id, answerable, answers.
select
    split, id, answerable, answers
from corpus
where answerable <> (len(answers) > 0)
order by all
