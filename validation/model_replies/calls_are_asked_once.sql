-- a call has one reply, and only failed attempts are repeated
-- Grain: a call with several replies, or whose attempts are not numbered 0, 1, ….
-- Columns: run_id, example_id, stage, variant, sample, attempts, num_replies.
select
    run_id, example_id, stage, variant, sample,
    list(attempt order by attempt) as attempts,
    count(generation) as num_replies
from generations
group by run_id, example_id, stage, variant, sample, parent_generation_id, model, revision
having
    count(generation) > 1
    or list(attempt order by attempt) <> range(count(*))
    or max(attempt) filter (where generation is not null) < max(attempt)
order by all
