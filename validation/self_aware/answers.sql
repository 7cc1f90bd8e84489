-- every answerable row has an answer, unanswerable rows have none, and no alias is blank or repeated
-- Grain: an answerable row without an answer, an unanswerable one with an answer, or a row with a blank or repeated
-- alias. Columns: split, id, answerable, answers.
select
    split, id, answerable, answers
from corpus
where
    answerable <> (len(answers) > 0)
    or len(list_filter(answers, lambda answer: answer is null or trim(answer) = '')) > 0
    or len(list_distinct(answers)) <> len(answers)
order by all
