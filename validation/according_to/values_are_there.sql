-- no column is null but explain_prompt, and none but the null prompt's phrase is empty
-- Grain: a row with a null or an empty text where a value must stand. Columns: split, and those where none may be.
select
    split, id, prompt_id, kind, format, placement, phrase, answer_prompt
from corpus
where
    coalesce(id, '') = '' or coalesce(prompt_id, '') = '' or coalesce(kind, '') = '' or coalesce(format, '') = ''
    or coalesce(placement, '') = '' or coalesce(answer_prompt, '') = '' or explain_prompt = ''
    or phrase is null or (phrase = '') <> (kind = 'null')
order by all
