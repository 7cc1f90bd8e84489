-- no question contains an alias of its answer as whole words
-- Grain: an alias that its own question contains. Columns: split, id, question, answer.
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
