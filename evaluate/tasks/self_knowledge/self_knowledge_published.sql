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

replies as (
    select *
    from self_knowledge_replies unpivot include nulls (
        value for measure in (
            self_consistent as consistent,
            generation_correct as written,
            verification_correct as read,
            answer_changed as changed,
            all_correct as "true"
        )
    )
),

measured as (
    select
        generator, verifier, wording, temperature,
        coalesce(json_type(settings::json, '$.completion') = 'OBJECT', false) as has_examples,
        replies.task, protocol, stage, style, measure,
        prompt_share(value, prompt_id) as shares
    from replies
    inner join runs using (run_id)
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
    shares.n, shares.n_graded, shares.n_prompts, shares.share as ours, shares.low, shares.high,
    published.note
from published
inner join self_knowledge_paper as cells
    on published.table = cells.paper_table and published."column" = cells.paper_column
inner join measured using (task, protocol, stage, style, measure)
left join checkpoints on published.model = checkpoints.printed
where published.paper = 'understand-what-i-create' and published.value is not null
order by all
