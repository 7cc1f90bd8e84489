-- self_knowledge_cells: the shares of one task, protocol and pair of models.
-- Grain: one row per task, generator, verifier, wording, style, protocol and verifying stage.
-- Columns: task, generator, verifier, wording, style, protocol, stage; n texts, n_prompts (distinct ones, the trials of
-- the intervals), n_leaking (texts that state their own answer, section 7.2.1), n_estimated (texts whose true answer is
-- an estimate); for each of written (correctly), read (correctly), consistent (self-consistent), changed (as it must),
-- true (all three): n_… graded, the share, and its 95% interval (Wilson; for read, equal questions are one trial, too:
-- equal texts of several prompts are asked about in equal words). Reads self_knowledge_replies.
create or replace view self_knowledge_cells as
-- Count the texts of each prompt first: counting distinct prompts for each share takes many times as long.
with prompts as (
    select
        task, generator, verifier, wording, style, protocol, stage, prompt_id,
        count(*) as n,
        count(*) filter (where leaks_answer = 1) as n_leaking,
        count(*) filter (where estimated) as n_estimated,
        count(generation_correct) as n_written, sum(generation_correct) as written,
        count(verification_correct) as n_read, sum(verification_correct) as read,
        list(distinct question_hash) filter (where verification_correct is not null) as questions,
        count(self_consistent) as n_consistent, sum(self_consistent) as consistent,
        count(answer_changed) as n_changed, sum(answer_changed) as changed,
        count(all_correct) as n_true, sum(all_correct) as "true"
    from self_knowledge_replies
    group by all
),

cells as (
    select
        task, generator, verifier, wording, style, protocol, stage,
        sum(n)::bigint as n, count(prompt_id) as n_prompts,
        sum(n_leaking)::bigint as n_leaking, sum(n_estimated)::bigint as n_estimated,
        share_over_prompts(n_written, written) as written,
        share_over_questions(n_read, read, questions) as read,
        share_over_prompts(n_consistent, consistent) as consistent,
        share_over_prompts(n_changed, changed) as changed,
        share_over_prompts(n_true, "true") as "true"
    from prompts
    group by all
)

select
    * exclude (written, read, consistent, changed, "true"),
    unnest(as_written(written)), unnest(as_read(read)), unnest(as_consistent(consistent)),
    unnest(as_changed(changed)), unnest(as_true("true"))
from cells;
