-- How were replies read?
-- Source: the generations themselves
-- Grain: one row a reply about a text: for every verifier, task and outcome, the two whose ids have the smallest MD5.
-- Columns: verifier, task; outcome (`read`, or why it could not be); n (replies of the verifier and task with this
-- outcome); generation_id; generation, its part that was read from start_character to end_character (exclusive); said
-- (what was read), expected (of a consistent model), truth. It shows examples and estimates nothing.
-- Needs: scores
with outcomes as (
    select
        calls.model as verifier,
        regexp_extract(calls.example_id, '^(.*)-[0-9]{3}-[a-z]+$', 1) as task,
        calls.generation_id,
        calls.generation,
        readings.said,
        readings.expected,
        readings.truth,
        if(readings.said is null, coalesce(readings.reason, 'unknown'), 'read') as outcome
    from calls
    inner join self_knowledge_readings as readings on calls.generation_id = readings.generation_id
    where calls.generation is not null
),

chosen as (
    select
        verifier,
        task,
        outcome,
        count(*) as n,
        unnest(arg_min(generation_id, md5(generation_id), 2)) as generation_id
    from outcomes
    group by verifier, task, outcome
)

select
    chosen.verifier,
    chosen.task,
    chosen.outcome,
    chosen.n,
    chosen.generation_id,
    outcomes.generation,
    kept_replies.start_character,
    kept_replies.end_character,
    outcomes.said,
    outcomes.expected,
    outcomes.truth
from chosen
inner join outcomes on chosen.generation_id = outcomes.generation_id
left join kept_replies on chosen.generation_id = kept_replies.generation_id
order by
    chosen.verifier asc,
    chosen.task asc,
    chosen.outcome <> 'read' asc,
    chosen.n desc,
    chosen.outcome asc,
    chosen.generation_id asc
