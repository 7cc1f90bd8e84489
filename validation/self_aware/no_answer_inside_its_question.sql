-- no alias stands in its question as whole words
-- Grain: an alias that stands in its own question as whole words. Columns: split, id, question, answer.
with aliases as (
    select
        split, id, question,
        unnest(answers) as answer
    from corpus
)

select
    split, id, question, answer
from aliases
where contains(' ' || normalized(question) || ' ', ' ' || normalized(answer) || ' ')
order by all
