-- prompts contain the values of their instance
-- Grain: a row and a value that its prompts lack. Columns: split, id, slot, value.
with slots as (
    select
        split, id, generate_prompt, verify_prompt,
        unnest([
            { 'name': 'num', 'prompt': 'generate', 'value': params ->> 'num' },
            { 'name': 'output', 'prompt': 'generate', 'value': params ->> 'output' },
            { 'name': 'answer', 'prompt': 'both', 'value': params ->> 'answer' },
            { 'name': 'category', 'prompt': 'both', 'value': params ->> 'category' },
            { 'name': 'sport', 'prompt': 'both', 'value': params ->> 'sport' },
            { 'name': 'position', 'prompt': 'verify', 'value': params ->> 'position' },
            { 'name': 'color', 'prompt': 'generate', 'value': params ->> 'color' }
        ]) as slot
    from corpus
    where json_valid(params)
)

select
    split, id, slot.name as slot, slot.value
from slots
where
    slot.value is not null
    and (
        (slot.prompt in ('generate', 'both') and not contains(generate_prompt, slot.value))
        or (slot.prompt in ('verify', 'both') and not contains(verify_prompt, slot.value))
    )
order by all
