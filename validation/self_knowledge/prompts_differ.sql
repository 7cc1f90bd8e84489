-- no two instances of a style have the same prompts
-- Grain: instances of a style with the same prompts. Columns: first_id, second_id.
select
    min(id) as first_id,
    max(id) as second_id
from corpus
group by style, generate_prompt, verify_prompt
having count(*) > 1
order by all
