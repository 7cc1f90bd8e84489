-- self_knowledge_cells: the shares of one task, protocol and pair of models.
-- Grain: one row a task, generator, verifier, wording, style, protocol and verifying stage.
-- Columns: those; n texts, n_prompts (distinct ones that they were written for, which are the trials of the intervals),
-- n_leaking (texts that state their own answer, section 7.2.1), n_estimated (where what is right is an estimate); for
-- each of written (rightly), read (rightly), consistent (self-consistent), changed (as it must), true (all three):
-- n_… graded, the share, and its 95% interval (Wilson). Reads self_knowledge_replies.
create or replace view self_knowledge_cells as
select
    task,
    generator,
    verifier,
    wording,
    style,
    protocol,
    stage,
    count(*) as n,
    count(distinct prompt_id) as n_prompts,
    count(*) filter (where leaks_answer = 1) as n_leaking,
    count(*) filter (where estimated) as n_estimated,
    unnest(written_share(generation_correct, prompt_id)),
    unnest(read_share(verification_correct, prompt_id)),
    unnest(consistent_share(self_consistent, prompt_id)),
    unnest(changed_share(answer_changed, prompt_id)),
    unnest(true_share(all_correct, prompt_id))
from self_knowledge_replies
group by task, generator, verifier, wording, style, protocol, stage;
