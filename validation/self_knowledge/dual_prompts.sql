-- only the tasks of the paper's Table 2 have a dual prompt
-- Grain: a row with a superfluous or missing dual prompt. Columns: split, id, dual_prompt.
select
    split, id, dual_prompt
from corpus
where
    (dual_prompt is not null)
    != ($task in ('total-count', 'designated-count', 'fact', 'grammar', 'math', 'code'))
order by all
