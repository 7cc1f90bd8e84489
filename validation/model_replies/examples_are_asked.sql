-- every example of a run was asked, nothing else was, and there are as many as run.json says
-- Grain: an example without a reply, a reply to no example, or a run with another number.
-- Columns: run, example_id, found.
with examples as (
    select
        run, run_id,
        unnest(examples) as example_id
    from described
),

asked as (
    select distinct
        generations.run_id, generations.example_id, described.run
    from generations
    left join described on generations.run_id = described.run_id
),

differing as (
    select
        coalesce(examples.run, asked.run) as run,
        coalesce(examples.example_id, asked.example_id) as example_id,
        if(asked.example_id is null, 'never asked', 'no example') as found
    from examples
    full join asked on examples.run_id = asked.run_id and examples.example_id = asked.example_id
    where examples.example_id is null or asked.example_id is null
)

select
    run, example_id, found
from differing
union all
select
    run, null as example_id,
    len(examples) || ' examples, not ' || described_examples as found
from described
where len(examples) <> described_examples or len(list_distinct(examples)) <> len(examples)
order by all
