-- no unanswerable row has an answer, and an answerable one without an answer has the flag no_answer
-- Grain: a row that breaks either rule. Columns: split, id, answerable, answers, flags.
select
    split, id, answerable, answers, flags
from corpus
where
    (not answerable and len(answers) > 0)
    or (answerable and len(answers) = 0) <> list_contains(flags, 'no_answer')
order by all
