-- self_knowledge_paper: the task, protocol and measure behind each column of the paper's tables.
-- Source: Tan et al., Can I understand what I create?
-- Grain: one row per column of a table.
-- Columns: paper_table (table-1, …), paper_column (null: unknown); task, protocol, stage, style; measure (consistent,
-- written, read, changed or true).
create or replace view self_knowledge_paper as
with cells (paper_table, paper_column, task, protocol, stage, style, measure) as (
    values
    ('table-1', 'Total count', 'total-count', 'separate', 'verify', 'plain', 'consistent'),
    ('table-1', 'Designate count', 'designated-count', 'separate', 'verify', 'plain', 'consistent'),
    ('table-1', 'Fact', 'fact', 'separate', 'verify', 'plain', 'consistent'),
    ('table-1', 'ArXiv', 'arxiv', 'separate', 'verify', 'plain', 'consistent'),
    ('table-1', 'Math', 'math', 'separate', 'verify', 'plain', 'consistent'),
    ('table-1', 'Theorem', 'theorem', 'separate', 'verify', 'plain', 'consistent'),
    ('table-1', 'Code', 'code', 'separate', 'verify', 'plain', 'consistent'),
    ('table-2', 'Total count', 'total-count', 'dual', 'verify-dual', 'plain', 'consistent'),
    ('table-2', 'Designate count', 'designated-count', 'dual', 'verify-dual', 'plain', 'consistent'),
    ('table-2', 'Fact', 'fact', 'dual', 'verify-dual', 'plain', 'consistent'),
    ('table-2', 'Grammar', 'grammar', 'dual', 'verify-dual', 'plain', 'consistent'),
    ('table-2', 'Math', 'math', 'dual', 'verify-dual', 'plain', 'consistent'),
    ('table-2', 'Code', 'code', 'dual', 'verify-dual', 'plain', 'consistent'),
    ('table-3', 'Grammar', 'grammar', 'consistency', 'verify-kept', 'plain', 'consistent'),
    ('table-3', 'Add first word', 'add-first-word', 'consistency', 'verify-kept', 'plain', 'consistent'),
    ('table-3', 'Delete first word', 'delete-first-word', 'consistency', 'verify-kept', 'plain', 'consistent'),
    ('table-3', 'Change', 'change-word', 'inconsistency', 'verify-broken', 'plain', 'consistent'),
    ('table-4', 'Counting', 'image-counting', 'separate', 'verify', 'plain', 'consistent'),
    ('table-4', 'Color', 'image-color', 'separate', 'verify', 'plain', 'consistent'),
    ('table-4', 'Position', 'image-position', 'separate', 'verify', 'plain', 'consistent'),
    ('table-6', 'No context eval', 'total-count', 'separate', 'verify', 'plain', 'consistent'),
    ('table-6', 'In-context eval', 'total-count', 'in-context', 'verify', 'plain', 'consistent'),
    ('table-6', 'In-context eval with noise', 'total-count', 'in-context-noise', 'verify', 'plain', 'consistent'),
    ('table-8', 'Specific Mention', 'specific-mention', 'separate', 'verify', 'plain', 'consistent'),
    ('table-8', 'Sentiment Analysis', 'sentiment', 'separate', 'verify', 'plain', 'consistent'),
    ('table-8', 'Sports Statistics', 'sports-statistics', 'separate', 'verify', 'plain', 'consistent'),
    ('table-9', null, 'benchmark', 'separate', 'verify', 'plain', 'consistent'),
    ('table-10', 'Fact (Consistency)', 'fact', 'separate', 'verify', 'plain', 'consistent'),
    ('table-10', 'Fact (Inconsistency)', 'fact', 'inconsistency', 'verify-broken', 'plain', 'changed'),
    ('table-10', 'Math (Consistency)', 'math', 'separate', 'verify', 'plain', 'consistent'),
    ('table-10', 'Math (Inconsistency)', 'math', 'inconsistency', 'verify-broken', 'plain', 'changed'),
    ('table-11', 'Initial', 'total-count', 'separate', 'verify', 'plain', 'consistent'),
    ('table-11', 'Gen', 'total-count', 'separate', 'verify', 'plain', 'written'),
    ('table-11', 'Verify', 'total-count', 'separate', 'verify', 'plain', 'read'),
    ('table-11', 'True', 'total-count', 'separate', 'verify', 'plain', 'true'),
    ('table-11', 'Initial (Expert)', 'total-count', 'separate', 'verify', 'expert', 'consistent'),
    ('table-11', 'Gen (Expert)', 'total-count', 'separate', 'verify', 'expert', 'written'),
    ('table-11', 'Verify (Expert)', 'total-count', 'separate', 'verify', 'expert', 'read'),
    ('table-11', 'True (Expert)', 'total-count', 'separate', 'verify', 'expert', 'true'),
    ('table-12', 'Code (w/o CoT)', 'code', 'separate', 'verify', 'plain', 'consistent'),
    ('table-12', 'Code (w CoT)', 'code', 'separate', 'verify', 'cot', 'consistent'),
    ('table-12', 'Math (w/o CoT)', 'math', 'separate', 'verify', 'plain', 'consistent'),
    ('table-12', 'Math (w CoT)', 'math', 'separate', 'verify', 'cot', 'consistent')
)

select * from cells;
