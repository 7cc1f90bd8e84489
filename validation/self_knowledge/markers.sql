-- a question has one marker for the written text; writing prompts and questions about pictures have none
-- Grain: a prompt with a different number of markers. Columns: split, id, kind, num_markers.
with counted as (
    select
        split, id, kind, is_asked,
        len(string_split(prompt, '{generation}')) - 1 as num_markers
    from prompts
)

select
    split, id, kind, num_markers
from counted
where num_markers != if(is_asked and not starts_with($task, 'image-'), 1, 0)
order by all
