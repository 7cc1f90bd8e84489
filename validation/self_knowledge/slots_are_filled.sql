-- no prompt, ours or the paper's, has an open slot
-- Grain: a prompt with an open slot. Columns: split, id, kind, slot.
with named as (
    select
        split, id, kind,
        regexp_extract(
            replace(prompt, '{generation}', ''), '\{[a-z_]+\}|\[(num|word|date|month|year[a-z, ]*|'
            || 'answer|countries|sport|object|objects|color|position relationship|title)\]'
        ) as slot
    from prompts
)

select
    split, id, kind, slot
from named
where slot != ''
order by all
