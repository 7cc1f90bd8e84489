-- a question asks for its diarist's entries in the words of the template
-- Grain: a question in other words than the template's. Columns: split, id, prompt, expected.
with questions as (
    select
        split, id, prompt,
        replace($question, '{name}', diarist) || chr(10) as expected
    from corpus
    where kind = 'question'
)

select
    split, id, prompt, expected
from questions
where prompt is distinct from expected
order by all
