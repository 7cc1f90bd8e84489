-- the phrase stands where the placement says, and as often
-- Grain: a row whose phrase does not stand where its placement says: before the question, behind it, or both.
-- Columns: split, id, prompt, before (how often the phrase stands before the question), after.
with prompts as (
    select
        split, id, phrase,
        coalesce(explain_prompt, answer_prompt) as prompt
    from corpus
    where phrase <> ''
),

counted as (
    select
        split, id, prompt,
        len(string_split(string_split(prompt, '{question}')[1], phrase)) - 1 as before,
        len(string_split(string_split(prompt, '{question}')[2], phrase)) - 1 as after
    from prompts
)

select
    split, id, prompt, before, after
from counted
where
    before <> if($placement = 'appended', 0, 1)
    or coalesce(after, 0) <> if($placement = 'prepended', 0, 1)
order by all
