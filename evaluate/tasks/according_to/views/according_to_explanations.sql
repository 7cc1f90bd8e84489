-- according_to_explanations: the part of a reply that is searched for quotes.
-- Grain: one explaining call of an according-to run that got a reply.
-- Columns: run_id, model, revision (the empty text where there is none), generation_id, example_id, prompt, sample;
-- text (of format `short` what stands behind the first ';', else the whole reply; its thinking taken off). Reads calls
-- and kept_replies.
create or replace view according_to_explanations as
with formats as (
    select
        run_id,
        settings::json ->> 'format' as format
    from runs
    where task = 'according-to'
),

said as (
    select
        calls.*, format,
        coalesce(
            substring(generation, start_character + 1, end_character - start_character), generation
        ) as said
    from calls
    inner join formats using (run_id)
    left join kept_replies using (generation_id)
    where
        task = 'according-to'
        and generation is not null
        and stage = if(format = 'two-step', 'explain', 'answer')
)

select
    run_id, model, coalesce(revision, '') as revision, generation_id, example_id, variant as prompt, sample,
    trim(
        case
            when format <> 'short' then said
            when contains(said, ';') then substring(said, strpos(said, ';') + 1)
            else ''
        end,
        concat(' ', chr(9), chr(10), chr(11), chr(12), chr(13))
    ) as text
from said;
