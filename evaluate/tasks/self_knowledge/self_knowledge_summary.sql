-- Does a model write what it is asked for, read what it wrote, and agree with itself, over all tasks?
-- Source: ours; the paper averages its one score over tasks (Tan et al., Can I understand what I create?, Table 1)
-- Grain: one row a protocol, wording, style, stage, generator and verifier.
-- Columns: protocol, wording, style, stage, generator, verifier; n_tasks; n texts, n_prompts (distinct ones); for each
-- of written (rightly), read (rightly) and consistent (self-consistent) n_… graded, the share, and its 95% interval
-- (Wilson; several texts of one prompt are one trial). A reply that could not be read, or could be read in two
-- ways, is not graded and counts as wrong. Texts that no program can judge do not count. A task weighs as many texts as
-- it has.
-- Needs: scores
with counted as (
    select
        protocol, wording, style, stage, generator, verifier,
        count(distinct task) as n_tasks, count(*) as n, count(distinct prompt_id) as n_prompts,
        count(generation_correct) as n_written, prompt_share(written, prompt_id) as written,
        count(verification_correct) as n_read, prompt_share(read, prompt_id) as read,
        count(self_consistent) as n_consistent, prompt_share(consistent, prompt_id) as consistent
    from self_knowledge_replies
    group by all
)

select
    protocol, wording, style, stage, generator, verifier, n_tasks, n, n_prompts,
    n_written, written.share as written, written.low as written_low, written.high as written_high,
    n_read, read.share as read, read.low as read_low, read.high as read_high,
    n_consistent, consistent.share as consistent, consistent.low as consistent_low, consistent.high as consistent_high
from counted
order by generator, verifier, protocol, wording, style, stage
