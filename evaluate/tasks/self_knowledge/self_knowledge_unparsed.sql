-- Which replies could not be graded, and why?
-- Source: ours
-- Grain: one row per task, protocol, stage, generator, verifier and reason.
-- Columns: task, protocol, wording, style, stage, generator, verifier; reason; n texts with this reason, share (of all
-- texts of the same task, protocol, stage and models), leaks (texts among the n that state their own answer).
-- Needs: scores
with counted as (
    select
        task, protocol, wording, style, stage, generator, verifier,
        if(self_consistent is null and answer_changed is null, coalesce(reason, 'unknown'), null) as reason,
        count(*) as n, count(*) filter (where leaks_answer = 1) as leaks
    from self_knowledge_replies
    group by all
)

select
    * exclude (leaks),
    n / sum(n) over (partition by task, protocol, wording, style, stage, generator, verifier) as share,
    leaks
from counted
qualify reason is not null
order by all
