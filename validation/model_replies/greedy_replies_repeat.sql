-- at temperature 0, the same prompt in a run has the same reply, but for one in twenty prompts that came several times
-- Grain: a prompt of a run with different replies, if more than one in twenty repeated prompts of all runs have them.
-- Columns: run, prompt, replies. A text that the model only scored is no reply. In bfloat16 rounding depends on the
-- other prompts of a batch, so replies can differ.
with repeated as (
    select
        described.run, generations.prompt,
        list(distinct generations.generation order by generations.generation) as replies
    from generations
    inner join described on generations.run_id = described.run_id
    where
        described.temperature = 0
        and generations.error is null
        and generations.finish_reason is distinct from 'forced'
    group by described.run, generations.prompt
    having count(*) > 1
),

counted as (
    select
        *,
        avg((len(replies) > 1)::integer) over () as share_of_differing
    from repeated
)

select
    run, prompt, replies
from counted
where len(replies) > 1 and share_of_differing > 0.05
order by all
