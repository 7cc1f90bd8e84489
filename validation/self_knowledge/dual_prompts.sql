-- the tasks of the paper's Table 2 have a dual prompt, and no others
-- Grain: a row with a dual prompt where the paper's Table 2 has none, or without where it has one.
-- Columns: split, id, dual_prompt.
select
    split, id, dual_prompt
from corpus
where
    (dual_prompt is not null)
    != ($task in ('total-count', 'designated-count', 'fact', 'grammar', 'math', 'code'))
order by all
