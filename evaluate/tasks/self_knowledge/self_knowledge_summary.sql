-- Does a model write what it is asked for, read what it wrote, and agree with itself, over all tasks?
-- Source: ours; the paper averages its one score over tasks (Tan et al., Can I understand what I create?, Table 1)
-- Grain: one row a protocol, wording, style, stage, generator and verifier.
-- Columns: protocol, wording, style, stage, generator, verifier; n_tasks; n texts, n_prompts (distinct ones); for each
-- of written (rightly), read (rightly), consistent (self-consistent) and understood (all three at once) n_… graded,
-- …_yes texts of …_of that count, their share, and its 95% interval (Wilson; several texts of one prompt are one
-- trial). A reply that could not be read, or could be read in two ways, is not graded and counts as wrong. Texts that
-- no program can judge do not count. A task weighs as many texts as it has.
-- Needs: scores
with texts as (
    select
        *,
        case
            when written = 0 or read = 0 or consistent = 0 then 0
            when written = 1 and read = 1 and consistent = 1 then 1
        end as understood,
        generation_correct + verification_correct + self_consistent as graded
    from self_knowledge_replies
),

counted as (
    select
        protocol, wording, style, stage, generator, verifier,
        count(distinct task) as n_tasks, count(*) as n, count(distinct prompt_id) as n_prompts,
        count(generation_correct) as n_written, prompt_share(written, prompt_id) as written,
        count(verification_correct) as n_read, prompt_share(read, prompt_id) as read,
        count(self_consistent) as n_consistent, prompt_share(consistent, prompt_id) as consistent,
        count(graded) as n_understood, prompt_share(understood, prompt_id) as understood,
        sum(written)::bigint as written_yes, sum(read)::bigint as read_yes,
        sum(consistent)::bigint as consistent_yes, sum(understood)::bigint as understood_yes
    from texts
    group by all
)

select
    protocol, wording, style, stage, generator, verifier, n_tasks, n, n_prompts,
    n_written, written_yes, written.n_graded as written_of,
    written.share as written, written.low as written_low, written.high as written_high,
    n_read, read_yes, read.n_graded as read_of,
    read.share as read, read.low as read_low, read.high as read_high,
    n_consistent, consistent_yes, consistent.n_graded as consistent_of,
    consistent.share as consistent, consistent.low as consistent_low, consistent.high as consistent_high,
    n_understood, understood_yes, understood.n_graded as understood_of,
    understood.share as understood, understood.low as understood_low, understood.high as understood_high
from counted
order by generator, verifier, protocol, wording, style, stage
