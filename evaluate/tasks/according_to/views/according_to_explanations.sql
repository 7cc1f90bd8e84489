-- according_to_explanations: the part of a reply that is searched for quotes.
-- Grain: one row per call of an according-to run with an explanation in its reply.
-- Columns: run_id, model, revision (the empty text if there is none), generation_id, example_id, prompt, sample;
-- text (without thinking: the part after the first ';' in format `short`, else the whole reply). Reads calls and
-- kept_replies.
create or replace view according_to_explanations as
with formats as (
    select
        run_id,
        settings::json ->> 'format' as format
    from runs
    where task = 'according-to'
),

replies as (
    select
        calls.*, format,
        coalesce(
            substring(generation, start_character + 1, end_character - start_character), generation
        ) as reply
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
            when format <> 'short' then reply
            when contains(reply, ';') then substring(reply, strpos(reply, ';') + 1)
            else ''
        end,
        concat(' ', chr(9), chr(10), chr(11), chr(12), chr(13))
    ) as text
from replies;
