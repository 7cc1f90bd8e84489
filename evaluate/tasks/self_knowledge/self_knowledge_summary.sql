-- Does a model write what it is asked for, read what it wrote, and agree with itself, over all tasks?
-- Source: ours; the paper averages its one score over tasks (Tan et al., Can I understand what I create?, Table 1)
-- Grain: one row per protocol, wording, style, stage, generator and verifier.
-- Columns: protocol, wording, style, stage, generator, verifier; n_tasks; n texts, n_prompts (distinct ones); for each
-- of written (correctly), read (correctly), consistent (self-consistent) and understood (all three at once): n_…
-- graded, …_yes of …_of texts, the share, and its 95% interval (Wilson; all texts of one prompt are one trial; for
-- read, equal questions are one trial, too). A reply that could not be read, or could be read two ways, is not graded
-- and counts as wrong. Texts that no program can judge do not count. Every text has the same weight.
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

prompts as ( -- counted first: counting distinct prompts for each share takes many times as long
    select
        protocol, wording, style, stage, generator, verifier, prompt_id,
        list(distinct task) as tasks, count(*) as n,
        count(generation_correct) as n_written,
        count(texts.written) as n_all_written, sum(texts.written) as written,
        count(verification_correct) as n_read,
        count(texts.read) as n_all_read, sum(texts.read) as read,
        list(distinct question_hash) filter (where texts.read is not null) as questions,
        count(self_consistent) as n_consistent,
        count(texts.consistent) as n_all_consistent, sum(texts.consistent) as consistent,
        count(graded) as n_understood,
        count(texts.understood) as n_all_understood, sum(texts.understood) as understood
    from texts
    group by all
),

counted as (
    select
        protocol, wording, style, stage, generator, verifier,
        len(list_distinct(flatten(list(tasks)))) as n_tasks, sum(n)::bigint as n, count(*) as n_prompts,
        sum(n_written)::bigint as n_written, sum(written)::bigint as written_yes,
        share_over_prompts(n_all_written, written) as written,
        sum(n_read)::bigint as n_read, sum(read)::bigint as read_yes,
        share_over_questions(n_all_read, read, questions) as read,
        sum(n_consistent)::bigint as n_consistent, sum(consistent)::bigint as consistent_yes,
        share_over_prompts(n_all_consistent, consistent) as consistent,
        sum(n_understood)::bigint as n_understood, sum(understood)::bigint as understood_yes,
        share_over_prompts(n_all_understood, understood) as understood
    from prompts
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
