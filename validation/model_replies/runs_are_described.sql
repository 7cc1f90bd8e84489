-- run.json agrees with the manifest, and names the question set and its content hash
-- Grain: a run whose run.json differs.
-- Columns: run, run_id, listed_run_id, task, question_set, content_hash.
select
    run, run_id, listed_run_id, task, question_set, content_hash
from described
where
    run_id <> listed_run_id or task <> $config or question_set = ''
    or not coalesce(regexp_full_match(content_hash, '[0-9a-f]{64}'), false)
order by all
