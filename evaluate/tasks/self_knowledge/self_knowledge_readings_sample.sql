-- How were replies read?
-- Source: the generations themselves
-- Grain: one row a reply about a text: for every verifier, task and outcome, the two whose ids have the smallest MD5.
-- Columns: verifier, task; outcome (`read`, or why it could not be); n (replies of the verifier and task with this
-- outcome); generation_id; generation, its part that was read from start_character to end_character (exclusive); said
-- (what was read), expected (of a consistent model), truth. It shows examples and estimates nothing.
-- Needs: scores
with outcomes as (
    select
        model as verifier,
        regexp_extract(example_id, '^(.*)-[0-9]{3}-[a-z]+$', 1) as task,
        generation_id, generation, said, expected, truth,
        if(said is null, coalesce(reason, 'unknown'), 'read') as outcome
    from calls
    inner join self_knowledge_readings using (generation_id)
    where generation is not null
),

chosen as (
    select
        verifier, task, outcome, count(*) as n,
        unnest(arg_min(generation_id, md5(generation_id), 2)) as generation_id
    from outcomes
    group by verifier, task, outcome
)

select
    verifier, task, outcome, n, generation_id,
    generation, start_character, end_character, said, expected, truth
from chosen
inner join outcomes using (verifier, task, outcome, generation_id)
left join kept_replies using (generation_id)
order by verifier asc, task asc, outcome <> 'read' asc, n desc, outcome asc, generation_id asc
