-- Who was asked what, and what came back?
-- Source: every run, whatever its task
-- Grain: one row a run, model, revision and stage.
-- Columns: run_id, task, dataset, config, split, num_examples (that should be asked); model, revision, stage; n calls,
-- n_graded (with at least one score that is not null), n_tries (failed ones that were tried again among them),
-- n_failed, n_cut_off, n_empty, mean_tokens (generated), first_at and last_at (UTC). It only counts, so there is no
-- interval and no chance line.
with graded as (
    select distinct generation_id
    from scores
    where value is not null
),

counted as (
    select
        calls.run_id,
        calls.model,
        calls.revision,
        calls.stage,
        count(*) as n,
        count(graded.generation_id) as n_graded,
        sum(calls.attempt + 1)::bigint as n_tries,
        count(calls.error) as n_failed,
        count(*) filter (where calls.finish_reason = 'length') as n_cut_off,
        count(*) filter (where calls.generation = '' and calls.finish_reason is distinct from 'forced') as n_empty,
        avg(calls.completion_tokens) as mean_tokens,
        min(calls.created_at) as first_at,
        max(calls.created_at) as last_at
    from calls
    left join graded on calls.generation_id = graded.generation_id
    group by all
)

select
    runs.run_id,
    runs.task,
    runs.dataset,
    runs.config,
    runs.split,
    runs.num_examples,
    counted.* exclude (run_id)
from counted
inner join runs on counted.run_id = runs.run_id
order by all
