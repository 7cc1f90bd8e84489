-- Who was asked what, and what came back?
-- Source: every run, whatever its task
-- Grain: one row per run, model, revision and stage.
-- Columns: run_id, task, dataset, config, split, num_examples (of the run, answered or not); model, revision, stage;
-- n calls, n_graded (calls with a score that is not null), n_tries (calls plus failed tries that were repeated),
-- n_failed, n_cut_off, n_empty, mean_tokens (generated), first_at and last_at (UTC). Counts have no
-- interval and no chance line.
with graded as (
    select distinct generation_id
    from scores
    where value is not null
),

tries as (
    select
        run_id, model, revision, stage, attempt, error, finish_reason, completion_tokens, created_at,
        coalesce(generation = '' and finish_reason is distinct from 'forced', false) as is_empty,
        coalesce(generation_id in (select graded.generation_id from graded), false) as is_graded
    from calls
)

select
    run_id, runs.task, dataset, config, split, num_examples, model, revision, stage,
    count(*) as n,
    count(*) filter (where is_graded) as n_graded,
    sum(attempt + 1)::bigint as n_tries,
    count(error) as n_failed,
    count(*) filter (where finish_reason = 'length') as n_cut_off,
    count(*) filter (where is_empty) as n_empty,
    avg(completion_tokens) as mean_tokens,
    min(tries.created_at) as first_at, max(tries.created_at) as last_at
from tries
inner join runs using (run_id)
group by all
order by all
