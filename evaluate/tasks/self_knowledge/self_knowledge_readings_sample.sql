-- What did it write, and how was its reply about it read?
-- Source: the generations themselves
-- Grain: one row per reply about a text: two for every verifier, task, outcome and grade, those whose ids have the
-- smallest MD5.
-- Columns: verifier, task; outcome (`read`, or the reason that the reply could not be read); grade (agrees: the reply
-- is the demanded answer; agrees, but the text is another; disagrees; null if unknown); n (replies of the verifier and
-- task with this outcome and grade); generation_id; generation, and start_character and end_character (exclusive) of
-- the part that was read; said (the answer in the reply), expected (a consistent model's answer), truth;
-- generate_prompt, text, verify_prompt. These are examples, not estimates.
-- Needs: scores
with graded as (
    select
        generation_id,
        max(value) filter (where metric = 'self_consistent') as self_consistent,
        max(value) filter (where metric = 'verification_correct') as verification_correct
    from scores
    where metric in ('self_consistent', 'verification_correct')
    group by generation_id
),

outcomes as (
    select
        model as verifier,
        regexp_extract(example_id, '^(.*)-[0-9]{3}-[a-z]+$', 1) as task,
        generation_id, parent_generation_id, prompt as verify_prompt, generation, said, expected, truth,
        if(said is null, coalesce(reason, 'unknown'), 'read') as outcome,
        case
            when self_consistent = 0 then 'disagrees'
            when self_consistent = 1 and verification_correct = 0 then 'agrees, but the text is another'
            when self_consistent = 1 then 'agrees'
        end as grade
    from calls
    inner join self_knowledge_readings using (generation_id)
    left join graded using (generation_id)
    where generation is not null
),

chosen as (
    select
        verifier, task, outcome, grade, count(*) as n,
        unnest(arg_min(generation_id, md5(generation_id), 2)) as generation_id
    from outcomes
    group by verifier, task, outcome, grade
)

select
    chosen.verifier, chosen.task, chosen.outcome, chosen.grade, n, generation_id,
    outcomes.generation, start_character, end_character, said, expected, truth,
    coalesce(texts.messages[-1].content, texts.prompt) as generate_prompt, texts.generation as text, verify_prompt
from chosen
inner join outcomes using (generation_id)
left join kept_replies using (generation_id)
left join calls as texts on outcomes.parent_generation_id = texts.generation_id
order by
    verifier asc, task asc, chosen.outcome <> 'read' asc, n desc, chosen.outcome asc, chosen.grade asc nulls last,
    generation_id asc
