-- the paper's own prompts stand beside ours, where it has them
-- Grain: a plain row without the paper's own words, in a task where the paper has them. Columns: split, id, paper.
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
