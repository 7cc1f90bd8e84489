-- every answerable row has an answer, and no unanswerable one has
-- Grain: an answerable row without an answer, or an unanswerable one with one. Columns: split, id, answerable, answers.
select
    split, id, answerable, answers
from corpus
where answerable <> (len(answers) > 0)
order by all
