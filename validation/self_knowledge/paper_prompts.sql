-- a plain row of the paper's tasks has the paper's own prompts
-- Grain: a plain row without the paper's prompts, in a task of the paper. Columns: split, id, paper.
select
    split, id,
    params -> 'paper' as paper
from corpus
where
    json_valid(params) and style = 'plain' and list_contains($tasks_of_the_paper, $task)
    and (
        (params -> 'paper' ->> 'generate_prompt') is null
        or (params -> 'paper' ->> 'verify_prompt') is null
    )
order by all
