-- the format two-step has an explaining prompt, and the others have none
-- Grain: a row with a superfluous or missing explaining prompt. Columns: split, id, explain_prompt.
select
    split, id, explain_prompt
from corpus
where (format = 'two-step') <> (explain_prompt is not null)
order by all
