-- the rows of an instance in different styles differ only in their wording
-- Grain: an instance whose rows differ in answer or parameters. Columns: number, answers, params.
with instances as (
    select
        regexp_extract(id, '-([0-9]{3})-[a-z]+$', 1) as number,
        answer,
        json_merge_patch(params, '{"altered_verify_prompt": null, "source_id": null, "paper": null}') as params
    from corpus
    where json_valid(params)
)

select
    number,
    list(distinct coalesce(answer, '')) as answers,
    list(distinct params) as params
from instances
group by number
having len(list(distinct coalesce(answer, ''))) > 1 or len(list(distinct params)) > 1
order by all
