-- Does the answer change if it must?
-- Source: Tan et al., Can I understand what I create?, Table 10; its columns for consistency are those of Table 1
-- Grain: one row per task, generator, verifier, wording, style, protocol and stage.
-- Columns: task, generator, verifier, wording, style, protocol, stage; n texts, n_prompts (distinct ones, the trials of
-- the intervals); for each of consistent (self-consistent), changed (as it must), read (correctly): n_… graded, the
-- share, and its 95% interval (Wilson).
-- Needs: scores
select
    task, generator, verifier, wording, style, protocol, stage, n, n_prompts,
    n_consistent, consistent, consistent_low, consistent_high,
    n_changed, changed, changed_low, changed_high,
    n_read, read, read_low, read_high
from self_knowledge_cells
where (protocol = 'separate' and stage = 'verify') or (protocol = 'inconsistency' and stage = 'verify-broken')
order by all
