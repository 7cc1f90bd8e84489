-- transformations are known, and a question is altered where one asks for it
-- Grain: a row with a transformation that nobody knows, or with an altered question where none belongs, or without one.
-- Columns: split, id, keep, breaks, altered_verify_prompt.
with named as (
    select
        split, id,
        params ->> 'keep' as keep,
        params ->> 'break' as breaks,
        params ->> 'altered_verify_prompt' as altered_verify_prompt
    from corpus
    where json_valid(params)
)

select
    split, id, keep, breaks, altered_verify_prompt
from named
where
    not coalesce(list_contains($transformations, keep), true)
    or not coalesce(list_contains($transformations, breaks), true)
    or (altered_verify_prompt is not null) != (coalesce(breaks, '') = 'alter-question' or $task like '%-word')
order by all
