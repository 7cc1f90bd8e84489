-- a question has one place for what was written; a writing prompt, and a question about a picture, none
-- Grain: a prompt without exactly one place for what was written, or a writing prompt or one about a picture with any.
-- Columns: split, id, kind, num_markers.
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
