-- each format has every prompt of Table 1, and no other
-- Grain: a format and prompt that is missing or unknown. Columns: format, prompt_id, problem.
with formats as (
    select unnest($formats) as format
),

prompts as (
    select unnest($prompts).id as prompt_id
),

expected as (
    select
        format, prompt_id
    from formats cross join prompts
)

select
    coalesce(expected.format, corpus.format) as format,
    coalesce(expected.prompt_id, corpus.prompt_id) as prompt_id,
    if(expected.format is null, 'unknown', 'missing') as problem
from expected
full join corpus on expected.format = corpus.format and expected.prompt_id = corpus.prompt_id
where expected.format is null or corpus.format is null
order by all
