-- no column but explain_prompt is null, and no text but the null prompt's phrase is empty
-- Grain: a row with a null or an empty text in a column that needs a value. Columns: split, and those columns.
select
    split, id, prompt_id, kind, format, placement, phrase, answer_prompt
from corpus
where
    coalesce(id, '') = '' or coalesce(prompt_id, '') = '' or coalesce(kind, '') = '' or coalesce(format, '') = ''
    or coalesce(placement, '') = '' or coalesce(answer_prompt, '') = '' or explain_prompt = ''
    or phrase is null or (phrase = '') <> (kind = 'null')
order by all
