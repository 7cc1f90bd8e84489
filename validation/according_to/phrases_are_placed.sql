-- the phrase stands where the placement says, exactly once in each place
-- Grain: a row with its phrase in another place; placements are before the question, after it, or both.
-- Columns: split, id, prompt, before (the number of phrases before the question), after.
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
