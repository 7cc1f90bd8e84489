-- no column but dual_prompt and answer is null, no column is empty, and params are JSON
-- Grain: a row with a null or an empty text in a column that needs a value. Columns: split, and those columns.
select
    split, id, task, style, generate_prompt, verify_prompt, params
from corpus
where
    coalesce(id, '') = '' or coalesce(task, '') = '' or coalesce(style, '') = '' or coalesce(generate_prompt, '') = ''
    or coalesce(verify_prompt, '') = '' or not coalesce(json_valid(params), false)
    or dual_prompt = '' or answer = ''
order by all
