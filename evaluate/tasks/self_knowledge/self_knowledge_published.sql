-- How do our numbers compare with the paper's?
-- Source: Tan et al., Can I understand what I create?, Tables 1, 2, 3, 4, 6, 10, 11 and 12
-- Grain: one row a number of the paper, and a generator, verifier, wording and temperature of ours in the same cell.
-- Columns: table, row, column and published_model (the paper's), published, published_n, note; generator, verifier,
-- wording, temperature (null: the model's own), task, protocol, stage, style, measure; is_same_model (by the checkpoint
-- that the paper names), is_same_setting (its words without examples, and its sampling: temperature 0 for APIs, a
-- model's own for the others); n texts, n_graded, n_prompts (distinct ones: 1 for Theorem in the paper's words), ours,
-- low, high (95%, Wilson over prompts).
-- Needs: scores
with checkpoints (printed, checkpoint, temperature) as (
    values
    ('GPT-4', 'gpt-4-0125-preview', 0.0),
    ('GPT-3.5', 'gpt-3.5-turbo-1106', 0.0),
    ('Llama3-8B-Instruct', 'meta-llama/Meta-Llama-3-8B-Instruct', null),
    ('Llama2-7B-Chat', 'meta-llama/Llama-2-7b-chat-hf', null),
    ('Mistral-7B-Instruct-v0.2', 'mistralai/Mistral-7B-Instruct-v0.2', null),
    ('Gemma-1.1-7B-Instruct', 'google/gemma-1.1-7b-it', null),
    ('Qwen1.5-7B-Chat', 'Qwen/Qwen1.5-7B-Chat', null)
),

cells (paper_table, paper_column, task, protocol, stage, style, measure) as (
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
),

measures as (
    select distinct measure from cells
),

measured as (
    select
        replies.generator,
        replies.verifier,
        replies.wording,
        runs.temperature,
        coalesce(json_type(runs.settings::json, '$.completion') = 'OBJECT', false) as has_examples,
        replies.task,
        replies.protocol,
        replies.stage,
        replies.style,
        measures.measure,
        prompt_share(
            case measures.measure
                when 'consistent' then replies.self_consistent
                when 'written' then replies.generation_correct
                when 'read' then replies.verification_correct
                when 'changed' then replies.answer_changed
                else replies.all_correct
            end,
            replies.prompt_id
        ) as shares
    from self_knowledge_replies as replies
    inner join runs on replies.run_id = runs.run_id
    cross join measures
    group by all
)

select
    published.table,
    published.row,
    published."column",
    published.model as published_model,
    published.value as published,
    published.n as published_n,
    measured.generator,
    measured.verifier,
    measured.wording,
    measured.temperature,
    cells.task,
    cells.protocol,
    cells.stage,
    cells.style,
    cells.measure,
    coalesce(
        measured.generator = measured.verifier
        and regexp_extract(measured.generator, '\S+$') in (checkpoints.checkpoint, checkpoints.printed),
        false
    ) as is_same_model,
    measured.wording = 'paper'
    and not measured.has_examples
    and coalesce(measured.temperature, -1) = coalesce(checkpoints.temperature, -1) as is_same_setting,
    measured.shares.n,
    measured.shares.n_graded,
    measured.shares.n_prompts,
    measured.shares.share as ours,
    measured.shares.low,
    measured.shares.high,
    published.note
from published
inner join cells on published.table = cells.paper_table and published."column" = cells.paper_column
inner join measured
    on
        cells.task = measured.task
        and cells.protocol = measured.protocol
        and cells.stage = measured.stage
        and cells.style = measured.style
        and cells.measure = measured.measure
left join checkpoints on published.model = checkpoints.printed
where published.paper = 'understand-what-i-create' and published.value is not null
order by all
