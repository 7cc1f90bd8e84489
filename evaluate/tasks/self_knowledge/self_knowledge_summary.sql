-- Does a model write what it is asked for, read what it wrote, and agree with itself, over all tasks?
-- Source: ours; the paper averages its one score over tasks (Tan et al., Can I understand what I create?, Table 1)
-- Grain: one row a protocol, wording, style, stage, generator and verifier.
-- Columns: protocol, wording, style, stage, generator, verifier; n_tasks; n texts, n_prompts (distinct ones); for each
-- of written (rightly), read (rightly) and consistent (self-consistent) n_… graded, the share, and its 95% interval
-- (Wilson; several texts of one prompt are one trial). A reply that could not be read, or could be read in two
-- ways, is not graded and counts as wrong. Texts that no program can judge do not count. A task weighs as many texts as
-- it has.
-- Needs: scores
with prompts as ( -- counted first: a count of distinct prompts for each share takes many times as long
    select
        protocol, wording, style, stage, generator, verifier, prompt_id,
        list(distinct task) as tasks, count(*) as n,
        count(generation_correct) as n_written, count(replies.written) as n_all_written,
        sum(replies.written) as written,
        count(verification_correct) as n_read, count(replies.read) as n_all_read,
        sum(replies.read) as read,
        count(self_consistent) as n_consistent, count(replies.consistent) as n_all_consistent,
        sum(replies.consistent) as consistent
    from self_knowledge_replies as replies
    group by all
),

counted as (
    select
        protocol, wording, style, stage, generator, verifier,
        len(list_distinct(flatten(list(tasks)))) as n_tasks, sum(n)::bigint as n, count(*) as n_prompts,
        sum(n_written)::bigint as n_written, share_over_prompts(n_all_written, written) as written,
        sum(n_read)::bigint as n_read, share_over_prompts(n_all_read, read) as read,
        sum(n_consistent)::bigint as n_consistent, share_over_prompts(n_all_consistent, consistent) as consistent
    from prompts
    group by all
)

select
    protocol, wording, style, stage, generator, verifier, n_tasks, n, n_prompts,
    n_written, written.share as written, written.low as written_low, written.high as written_high,
    n_read, read.share as read, read.low as read_low, read.high as read_high,
    n_consistent, consistent.share as consistent, consistent.low as consistent_low, consistent.high as consistent_high
from counted
order by generator, verifier, protocol, wording, style, stage
