-- Which model understands which model's texts?
-- Source: ours: one model writes, another one answers
-- Grain: one row per task, protocol, stage, generator and verifier.
-- Columns: task, protocol, wording, style, stage, generator, verifier; n texts, n_prompts (distinct ones, the trials of
-- the intervals), n_estimated (texts whose true answer is an estimate, such as from a closed list); for each of written
-- (correctly), read (correctly), consistent (self-consistent): n_… graded, the share, and its 95% interval (Wilson;
-- for read, equal questions are one trial, too).
-- Needs: scores
select
    task, protocol, wording, style, stage, generator, verifier, n, n_prompts, n_estimated,
    n_written, written, written_low, written_high,
    n_read, read, read_low, read_high,
    n_consistent, consistent, consistent_low, consistent_high
from self_knowledge_cells
order by all
