-- a run has replies to all its examples and to nothing else, and the number of examples is that in run.json
-- Grain: an example without a reply, a reply to no example, or a run with a different number of examples.
-- Columns: run, example_id, problem.
with examples as (
    select
        run, run_id,
        unnest(examples) as example_id
    from described
),

replied as (
    select distinct
        generations.run_id, generations.example_id, described.run
    from generations
    left join described on generations.run_id = described.run_id
),

differing as (
    select
        coalesce(examples.run, replied.run) as run,
        coalesce(examples.example_id, replied.example_id) as example_id,
        if(replied.example_id is null, 'never asked', 'no example') as problem
    from examples
    full join replied on examples.run_id = replied.run_id and examples.example_id = replied.example_id
    where examples.example_id is null or replied.example_id is null
)

select
    run, example_id, problem
from differing
union all
select
    run, null as example_id,
    len(examples) || ' examples, not ' || described_examples as problem
from described
where len(examples) <> described_examples or len(list_distinct(examples)) <> len(examples)
order by all
