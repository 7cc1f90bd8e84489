-- How do our numbers compare with the paper's?
-- Source: Tan et al., Can I understand what I create?, Tables 1, 2, 3, 4, 6, 10, 11 and 12
-- Grain: one row per number of the paper, and generator, verifier, wording and temperature of ours in the same cell.
-- Columns: table, row, column and published_model (the paper's), published, published_n, note; generator, verifier,
-- wording, temperature (null: the model's own), task, protocol, stage, style, measure; is_same_model (by the checkpoint
-- that the paper names), is_same_setting (the paper's wording without examples, and its sampling: temperature 0 for
-- APIs, a model's own for others); n texts, n_graded, n_prompts (distinct ones: 1 for Theorem in the paper's wording),
-- ours, low, high (95%, Wilson over prompts).
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

-- Count the texts of each prompt first: counting distinct prompts for each share takes many times as long.
prompts as (
    select
        run_id, generator, verifier, wording, task, protocol, stage, style, prompt_id,
        count(*) as n,
        { 'graded': count(self_consistent), 'total': sum(self_consistent) } as consistent,
        { 'graded': count(generation_correct), 'total': sum(generation_correct) } as written,
        { 'graded': count(verification_correct), 'total': sum(verification_correct) } as read,
        { 'graded': count(answer_changed), 'total': sum(answer_changed) } as changed,
        { 'graded': count(all_correct), 'total': sum(all_correct) } as "true"
    from self_knowledge_replies
    group by all
),

settings_of_runs as (
    select
        run_id, temperature,
        coalesce(json_type(settings::json, '$.completion') = 'OBJECT', false) as has_examples
    from runs
),

-- A prompt may occur in several runs.
measures as (
    select
        generator, verifier, wording, temperature, has_examples, task, protocol, stage, style, measure, prompt_id,
        sum(n) as n, sum(value.graded) as n_graded, sum(value.total) as total
    from prompts unpivot (value for measure in (consistent, written, read, changed, "true"))
    inner join settings_of_runs using (run_id)
    group by all
),

measured as (
    select
        generator, verifier, wording, temperature, has_examples, task, protocol, stage, style, measure,
        sum(n)::bigint as n,
        count(*) filter (where n_graded > 0) as n_prompts,
        share_over_prompts(n_graded, total) as shares
    from measures
    group by all
)

select
    published.table, published.row, published."column",
    published.model as published_model, published.value as published, published.n as published_n,
    generator, verifier, wording, measured.temperature,
    task, protocol, stage, style, measure,
    coalesce(
        generator = verifier and regexp_extract(generator, '\S+$') in (checkpoint, printed), false
    ) as is_same_model,
    wording = 'paper'
    and not has_examples
    and coalesce(measured.temperature, -1) = coalesce(checkpoints.temperature, -1) as is_same_setting,
    measured.n, shares.n_graded, n_prompts, shares.share as ours, shares.low, shares.high,
    published.note
from published
inner join self_knowledge_paper as cells
    on published.table = cells.paper_table and published."column" = cells.paper_column
inner join measured using (task, protocol, stage, style, measure)
left join checkpoints on published.model = checkpoints.printed
where published.paper = 'understand-what-i-create' and published.value is not null
order by all
