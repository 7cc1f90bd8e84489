-- the messages to a chat model stand in its rendered prompt, word for word
-- Grain: a message that is missing in the prompt. Columns: run_id, generation_id, role, content.
with sent as (
    select
        run_id, generation_id, prompt,
        unnest(messages) as message
    from generations
    where messages is not null
)

select
    run_id, generation_id, message.role, message.content
from sent
where not contains(prompt, trim(message.content, e' \n\t\r'))
order by all
