-- no column that every reply needs is null or empty
-- Grain: a row with a null or an empty text in a column that needs a value. Columns: split, and those columns.
select
    split, id, run, model, question_set, example_id, stage, variant, sample, attempt, prompt
from corpus
where
    coalesce(id, '') = '' or coalesce(run, '') = '' or coalesce(model, '') = '' or coalesce(question_set, '') = ''
    or coalesce(example_id, '') = '' or coalesce(stage, '') = '' or variant is null
    or sample is null or attempt is null or coalesce(prompt, '') = ''
    or metrics is null or scores is null or reasons is null
order by all
