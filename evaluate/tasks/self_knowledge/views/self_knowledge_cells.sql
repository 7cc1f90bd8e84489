-- self_knowledge_cells: the shares of one task, protocol and pair of models.
-- Grain: one row a task, generator, verifier, wording, style, protocol and verifying stage.
-- Columns: those; n texts, n_prompts (distinct ones that they were written for, which are the trials of the intervals),
-- n_leaking (texts that state their own answer, section 7.2.1), n_estimated (where what is right is an estimate); for
-- each of written (rightly), read (rightly), consistent (self-consistent), changed (as it must), true (all three):
-- n_… graded, the share, and its 95% interval (Wilson). Reads self_knowledge_replies.
create or replace view self_knowledge_cells as
-- The texts of a prompt are counted first: a count of distinct prompts for each share takes many times as long.
with prompts as (
    select
        task,
        generator,
        verifier,
        wording,
        style,
        protocol,
        stage,
        prompt_id,
        count(*) as n,
        count(*) filter (where leaks_answer = 1) as n_leaking,
        count(*) filter (where estimated) as n_estimated,
        count(generation_correct) as n_written,
        sum(generation_correct) as written,
        count(verification_correct) as n_read,
        sum(verification_correct) as read,
        count(self_consistent) as n_consistent,
        sum(self_consistent) as consistent,
        count(answer_changed) as n_changed,
        sum(answer_changed) as changed,
        count(all_correct) as n_true,
        sum(all_correct) as "true"
    from self_knowledge_replies
    group by task, generator, verifier, wording, style, protocol, stage, prompt_id
),

cells as (
    select
        task,
        generator,
        verifier,
        wording,
        style,
        protocol,
        stage,
        sum(n)::bigint as n,
        count(prompt_id) as n_prompts,
        sum(n_leaking)::bigint as n_leaking,
        sum(n_estimated)::bigint as n_estimated,
        sum(n_written)::bigint as n_written,
        sum(written) / sum(n_written) as written,
        count(prompt_id) filter (where n_written > 0) as written_trials,
        sum(n_read)::bigint as n_read,
        sum(read) / sum(n_read) as read,
        count(prompt_id) filter (where n_read > 0) as read_trials,
        sum(n_consistent)::bigint as n_consistent,
        sum(consistent) / sum(n_consistent) as consistent,
        count(prompt_id) filter (where n_consistent > 0) as consistent_trials,
        sum(n_changed)::bigint as n_changed,
        sum(changed) / sum(n_changed) as changed,
        count(prompt_id) filter (where n_changed > 0) as changed_trials,
        sum(n_true)::bigint as n_true,
        sum("true") / sum(n_true) as "true",
        count(prompt_id) filter (where n_true > 0) as true_trials
    from prompts
    group by task, generator, verifier, wording, style, protocol, stage
)

select
    task,
    generator,
    verifier,
    wording,
    style,
    protocol,
    stage,
    n,
    n_prompts,
    n_leaking,
    n_estimated,
    n_written,
    written,
    wilson_low(written * written_trials, written_trials) as written_low,
    wilson_high(written * written_trials, written_trials) as written_high,
    n_read,
    read,
    wilson_low(read * read_trials, read_trials) as read_low,
    wilson_high(read * read_trials, read_trials) as read_high,
    n_consistent,
    consistent,
    wilson_low(consistent * consistent_trials, consistent_trials) as consistent_low,
    wilson_high(consistent * consistent_trials, consistent_trials) as consistent_high,
    n_changed,
    changed,
    wilson_low(changed * changed_trials, changed_trials) as changed_low,
    wilson_high(changed * changed_trials, changed_trials) as changed_high,
    n_true,
    "true",
    wilson_low("true" * true_trials, true_trials) as true_low,
    wilson_high("true" * true_trials, true_trials) as true_high
from cells;
