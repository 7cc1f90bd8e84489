-- Does a model agree with what it wrote, task by task?
-- Source: Tan et al., Can I understand what I create?, Tables 1, 2, 3, 4, 8 and 9
-- Grain: one row per table, generator, verifier, wording and task, and one for the average of the table's tasks.
-- Columns: paper_table; generator, verifier, wording, task; n_tasks (1, or the number of tasks averaged); n texts,
-- n_prompts (distinct ones, the trials of the intervals: at temperature 0 all texts of a prompt are the same), n_graded
-- (replies that could be read and compared), share_null, score (over those graded), score_low and score_high (95%,
-- Wilson; none for an average), score_null_as_wrong (over all texts). The task `average` is the plain mean of the
-- table's tasks.
-- Needs: scores
with by_task as (
    select
        replace(paper_table, 'table-', 'Table ') as paper_table,
        generator, verifier, wording, task, 1 as n_tasks,
        count(distinct prompt_id) as n_prompts,
        prompt_share(self_consistent, prompt_id) as shares,
        avg(coalesce(self_consistent, 0)) as score_null_as_wrong
    from self_knowledge_replies
    inner join self_knowledge_paper using (task, protocol, stage, style)
    where paper_table in ('table-1', 'table-2', 'table-3', 'table-4', 'table-8', 'table-9')
    group by all
),

scored as (
    select
        * exclude (shares),
        shares.n, shares.n_graded, shares.share as score, shares.low as score_low, shares.high as score_high
    from by_task
),

averages as (
    select
        paper_table, generator, verifier, wording, 'average' as task, count(*)::integer as n_tasks,
        sum(n)::bigint as n, sum(n_prompts)::bigint as n_prompts, sum(n_graded)::bigint as n_graded,
        avg(score) as score, avg(score_null_as_wrong) as score_null_as_wrong
    from scored
    group by all
),

together as (
    select * from scored
    union all by name
    select * from averages
)

select
    paper_table, generator, verifier, wording, task, n_tasks, n, n_prompts, n_graded,
    1 - n_graded / n as share_null,
    score, score_low, score_high, score_null_as_wrong
from together
order by paper_table, generator, verifier, wording, task = 'average', task
