-- the format two-step has an explaining prompt, and no other
-- Grain: a row with an explaining prompt that should have none, or without one. Columns: split, id, explain_prompt.
select
    split, id, explain_prompt
from corpus
where (format = 'two-step') <> (explain_prompt is not null)
order by all
