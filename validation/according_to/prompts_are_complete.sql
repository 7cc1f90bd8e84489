-- every prompt of Table 1 stands there in every format, and no other
-- Grain: a format and prompt that is missing, or that nobody knows. Columns: format, prompt_id, found.
with formats as (
    select unnest($formats) as format
),

prompts as (
    select unnest($prompts).id as prompt_id
),

wanted as (
    select
        format, prompt_id
    from formats cross join prompts
)

select
    coalesce(wanted.format, corpus.format) as format,
    coalesce(wanted.prompt_id, corpus.prompt_id) as prompt_id,
    if(wanted.format is null, 'unknown', 'missing') as found
from wanted
full join corpus on wanted.format = corpus.format and wanted.prompt_id = corpus.prompt_id
where wanted.format is null or corpus.format is null
order by all
