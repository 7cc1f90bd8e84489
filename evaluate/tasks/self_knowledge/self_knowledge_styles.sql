-- Do an expert's role and a chain of thought help with writing or with reading?
-- Source: Tan et al., Can I understand what I create?, Tables 11 and 12 and Figure 4
-- Grain: one row per task, generator, verifier, wording and style.
-- Columns: task, generator, verifier, wording, style; n texts, n_prompts (distinct ones, the trials of the intervals),
-- n_leaking (texts that state their own answer, section 7.2.1); for each of consistent (self-consistent), written
-- (correctly), read (correctly), true (all three): n_… graded, the share, and its 95% interval (Wilson; for
-- read, equal questions are one trial, too).
-- Needs: scores
select
    task, generator, verifier, wording, style, n, n_prompts, n_leaking,
    n_consistent, consistent, consistent_low, consistent_high,
    n_written, written, written_low, written_high,
    n_read, read, read_low, read_high,
    n_true, "true", true_low, true_high
from self_knowledge_cells
where protocol = 'separate' and stage = 'verify'
order by all
