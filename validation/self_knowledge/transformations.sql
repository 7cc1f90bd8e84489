-- all transformations are known, and there is an altered question exactly if a transformation needs it
-- Grain: a row with an unknown transformation, or with a superfluous or missing altered question.
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
