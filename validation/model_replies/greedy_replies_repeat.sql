-- at temperature 0, the same prompt in a run has the same reply, but for one in twenty repeated prompts in bfloat16
-- Grain: a prompt of a run with different replies; in bfloat16 only if more than one in twenty of all repeated prompts
-- have them. Columns: run, prompt, replies. A text that the model only scored is no reply. In bfloat16 rounding depends
-- on the other prompts of a batch, so replies can differ.
with repeated as (
    select
        described.run, generations.prompt,
        described.description::json ->> '$.models[0].precision' as precision,
        list(distinct generations.generation order by generations.generation) as replies
    from generations
    inner join described on generations.run_id = described.run_id
    where
        described.temperature = 0
        and generations.error is null
        and generations.finish_reason is distinct from 'forced'
    group by all
    having count(*) > 1
),

counted as (
    select
        *,
        avg((len(replies) > 1)::integer) over (partition by precision) as share_of_differing
    from repeated
)

select
    run, prompt, replies
from counted
where len(replies) > 1 and (precision is distinct from 'bfloat16' or share_of_differing > 0.05)
order by all
