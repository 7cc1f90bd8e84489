-- Is the question easier in the same conversation, and harder after noise?
-- Source: Tan et al., Can I understand what I create?, Table 6
-- Grain: one row per task, generator, verifier, wording, style and protocol.
-- Columns: task, generator, verifier, wording, style, protocol; n texts, n_prompts (distinct ones, the trials of the
-- intervals); for each of consistent (self-consistent), read (correctly): n_… graded, the share, and its 95% interval
-- (Wilson; for read, equal questions are one trial, too).
-- Needs: scores
select
    task, generator, verifier, wording, style, protocol, n, n_prompts,
    n_consistent, consistent, consistent_low, consistent_high,
    n_read, read, read_low, read_high
from self_knowledge_cells
where protocol in ('separate', 'in-context', 'in-context-noise')
order by all
