-- at temperature 0, the same prompt in a run has the same reply
-- Grain: a prompt of a run with several replies. Columns: run, prompt, replies. Texts that the model only scored are no
-- replies.
select
    described.run, generations.prompt,
    list(distinct generations.generation order by generations.generation) as replies
from generations
inner join described on generations.run_id = described.run_id
where described.temperature = 0 and generations.error is null and generations.finish_reason is distinct from 'forced'
group by described.run, generations.prompt
having count(distinct generations.generation) > 1
order by all
