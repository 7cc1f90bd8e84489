-- every prompt holds the question once, and an explaining prompt also holds the answer once
-- Grain: a row whose prompts do not hold the question once, or whose explaining prompt does not hold the answer once.
-- Columns: split, id, answer_prompt, explain_prompt.
select
    split, id, answer_prompt, explain_prompt
from corpus
where
    len(string_split(answer_prompt, '{question}')) <> 2
    or contains(answer_prompt, '{answer}')
    or len(string_split(explain_prompt, '{question}')) <> 2
    or len(string_split(explain_prompt, '{answer}')) <> 2
order by all
