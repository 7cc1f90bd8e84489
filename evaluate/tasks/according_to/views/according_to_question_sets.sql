-- according_to_question_sets: the questions that a model was asked.
-- Grain: one row per run, model and revision.
-- Columns: run_id, model, revision (the empty text if there is none); number (of the row, from 1); question_set (MD5 of
-- its ids), ids (of the questions, sorted).
create or replace view according_to_question_sets as
with asked as (
    select distinct run_id, model, coalesce(revision, '') as revision, example_id
    from calls
    where task = 'according-to' and stage = 'answer'
),

lists as (
    select run_id, model, revision, list(example_id order by example_id) as ids
    from asked
    group by all
)

select
    run_id, model, revision,
    row_number() over (order by run_id, model, revision)::integer as number,
    md5(ids::varchar) as question_set,
    ids
from lists;
