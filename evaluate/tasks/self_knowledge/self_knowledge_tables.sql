-- Does a model agree with what it wrote, task by task?
-- Source: Tan et al., Can I understand what I create?, Tables 1, 2, 3, 4, 8 and 9
-- Grain: one row a table, generator, verifier, wording and task, and one for the average of the table's tasks.
-- Columns: paper_table; generator, verifier, wording, task; n texts, n_prompts (distinct ones: at temperature 0
-- texts of one prompt are one answer, so they are the trials of the intervals), n_graded (replies that could be read
-- and compared), share_null, score (of those graded), score_low and score_high (95%, Wilson; none for an average),
-- score_null_as_wrong (of all texts). The task `average` is the plain mean of the rows above it, and n_tasks says of
-- how many.
-- Needs: scores
with tables (paper_table, task, protocol, stage) as (
    values
    ('Table 1', 'total-count', 'separate', 'verify'),
    ('Table 1', 'designated-count', 'separate', 'verify'),
    ('Table 1', 'fact', 'separate', 'verify'),
    ('Table 1', 'arxiv', 'separate', 'verify'),
    ('Table 1', 'math', 'separate', 'verify'),
    ('Table 1', 'theorem', 'separate', 'verify'),
    ('Table 1', 'code', 'separate', 'verify'),
    ('Table 2', 'total-count', 'dual', 'verify-dual'),
    ('Table 2', 'designated-count', 'dual', 'verify-dual'),
    ('Table 2', 'fact', 'dual', 'verify-dual'),
    ('Table 2', 'grammar', 'dual', 'verify-dual'),
    ('Table 2', 'math', 'dual', 'verify-dual'),
    ('Table 2', 'code', 'dual', 'verify-dual'),
    ('Table 3', 'grammar', 'consistency', 'verify-kept'),
    ('Table 3', 'add-first-word', 'consistency', 'verify-kept'),
    ('Table 3', 'delete-first-word', 'consistency', 'verify-kept'),
    ('Table 3', 'change-word', 'inconsistency', 'verify-broken'),
    ('Table 4', 'image-counting', 'separate', 'verify'),
    ('Table 4', 'image-color', 'separate', 'verify'),
    ('Table 4', 'image-position', 'separate', 'verify'),
    ('Table 8', 'specific-mention', 'separate', 'verify'),
    ('Table 8', 'sentiment', 'separate', 'verify'),
    ('Table 8', 'sports-statistics', 'separate', 'verify'),
    ('Table 9', 'benchmark', 'separate', 'verify')
),

by_task as (
    select
        tables.paper_table,
        replies.generator,
        replies.verifier,
        replies.wording,
        replies.task,
        1 as n_tasks,
        count(*) as n,
        count(distinct replies.prompt_id) as n_prompts,
        prompt_share(replies.self_consistent, replies.prompt_id) as shares,
        coalesce(sum(replies.self_consistent), 0) / count(*) as score_null_as_wrong
    from self_knowledge_replies as replies
    inner join tables
        on
            replies.task = tables.task
            and replies.protocol = tables.protocol
            and replies.stage = tables.stage
    where replies.style = 'plain'
    group by all
),

scored as (
    select
        * exclude (shares, score_null_as_wrong),
        shares.n_graded,
        shares.share as score,
        shares.low as score_low,
        shares.high as score_high,
        score_null_as_wrong
    from by_task
),

averages as (
    select
        paper_table,
        generator,
        verifier,
        wording,
        'average' as task,
        count(*) as n_tasks,
        sum(n) as n,
        sum(n_prompts) as n_prompts,
        sum(n_graded) as n_graded,
        avg(score) as score,
        null::double as score_low,
        null::double as score_high,
        avg(score_null_as_wrong) as score_null_as_wrong
    from scored
    group by all
),

together as (
    select * from scored
    union all
    select * from averages
)

select
    paper_table,
    generator,
    verifier,
    wording,
    task,
    n_tasks::integer as n_tasks,
    n::bigint as n,
    n_prompts::bigint as n_prompts,
    n_graded::bigint as n_graded,
    1 - n_graded / n as share_null,
    score,
    score_low,
    score_high,
    score_null_as_wrong
from together
order by paper_table, generator, verifier, wording, task = 'average', task
