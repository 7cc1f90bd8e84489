-- no column but category and pair_id is null, and no question is blank
-- Grain: a row with a null in a column that needs a value, or with a question that is empty or has blanks around it.
-- Columns: split, id, question.
select
    split, id, question
from corpus
where
    id is null or question is null or answers is null or answerable is null or source is null or flags is null
    or question = '' or question <> trim(question, e' \t\n\r')
order by all
