-- at temperature 0, the same prompt in a run has the same reply
-- Grain: a prompt of a run with different replies. Columns: run, prompt, replies. A text that the model only scored is
-- no reply.
select
    described.run, generations.prompt,
    list(distinct generations.generation order by generations.generation) as replies
from generations
inner join described on generations.run_id = described.run_id
where described.temperature = 0 and generations.error is null and generations.finish_reason is distinct from 'forced'
group by described.run, generations.prompt
having count(distinct generations.generation) > 1
order by all
