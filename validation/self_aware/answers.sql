-- every answerable row has an answer, no unanswerable one has, and no alias comes twice
-- Grain: an answerable row without an answer, an unanswerable one with one, or a row with an alias that is blank or
-- stands twice. Columns: split, id, answerable, answers.
select
    split, id, answerable, answers
from corpus
where
    answerable <> (len(answers) > 0)
    or len(list_filter(answers, lambda answer: answer is null or trim(answer) = '')) > 0
    or len(list_distinct(answers)) <> len(answers)
order by all
