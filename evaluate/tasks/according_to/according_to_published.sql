-- How do our numbers compare with the paper's?
-- Source: Weller et al., "According to ...", Tables 1 and 2 and Appendix A
-- Grain: one row per number of the paper and a run and model of ours under the same prompt about Wikipedia, over the
-- same question set.
-- Columns: table, row (a prompt, a model or both; the state of the art is compared with the null prompt), column and
-- published_model (the paper's), published, published_n, note; dataset, run_id, model_label, is_same_model (by exact
-- name or label), is_same_setting (the whole question set in the paper's format for this model, without examples,
-- temperature 0.3, top-p 1, and for QUIP a portrait with as many 25-grams as the paper's of Wikipedia; false if the run
-- lacks any of these, and for the state of the art), metric, n questions, n_graded, ours, low and high (95%; see
-- according_to_table, and for Table 2 according_to_changes).
-- Needs: scores
with sets (dataset, printed) as (
    values
    ('mandarjoshi/trivia_qa', 'TQA'),
    ('google-research-datasets/nq_open', 'NQ'),
    ('hotpotqa/hotpot_qa', 'Hotpot'),
    ('facebook/kilt_tasks', 'ELI5')
),

metrics (metric, printed) as (
    values ('quip_zero', 'QUIP'), ('exact_match', 'EM'), ('f1', 'F1'), ('rouge_l', 'R-L')
),

-- The paper asks most models for answer and explanation at once, but models in Table 2 that 'don't respond well' to
-- that in two steps (Appendix A). It does not name them; we assume the three open models.
formats (model, is_long, format) as (
    values
    ('ChatGPT', false, 'short'), ('ChatGPT', true, 'long'),
    ('Text-Davinci-003', false, 'short'), ('Text-Davinci-003', true, 'long'),
    ('GPT-4', true, 'long'),
    ('GPT-J-Instruct', false, 'two-step'), ('GPT-J-Instruct', true, 'long-answer'),
    ('Koala', false, 'two-step'), ('Koala', true, 'long'),
    ('FLAN-T5 XXL', false, 'two-step'), ('FLAN-T5 XXL', true, 'long')
),

about_wikipedia as (
    select
        run_id,
        settings::json ->> 'format' as format,
        coalesce(
            json_type(settings::json, '$.limit') = 'NULL'
            and json_type(settings::json, '$.corpus_address') = 'NULL'
            and json_type(settings::json, '$.completion') = 'NULL'
            and temperature = 0.3
            and (decoding::json ->> 'top_p')::double = 1,
            false
        ) as has_same_prompts,
        coalesce(
            (settings::json ->> '$.portrait.width')::bigint = 25
            and (settings::json ->> '$.portrait.items')::bigint = 12693299532,
            false
        ) as has_same_portrait
    from runs
    where
        task = 'according-to'
        and settings::json ->> 'corpus' = 'Wikipedia'
        and settings::json ->> 'placement' = 'appended'
),

measured as (
    select
        run_id, dataset, model, model_label, metric, prompt, false as is_change, n, n_graded,
        score as ours, score_low as low, score_high as high
    from according_to_scores
    union all by name
    select
        run_id, dataset, model, model_label, metric, prompt, true as is_change, n, n_pairs as n_graded,
        relative_change as ours, relative_low as low, relative_high as high
    from according_to_differences
),

ours as (
    select
        measured.*, format,
        has_same_prompts and (has_same_portrait or not starts_with(metric, 'quip')) as is_same_but_format,
        concat(sets.printed, ' ', metrics.printed) as "column"
    from measured
    inner join about_wikipedia using (run_id)
    inner join sets using (dataset)
    inner join metrics using (metric)
),

papers as (
    select
        *,
        unit = 'percent change' as is_change,
        case
            when published.table = 'table-2' then 'attributed'
            when published.table = 'appendix-a' then string_split(published.row, ', ')[2]
            when ends_with(published.row, '-sota') then 'null'
            else published.row
        end as prompt
    from published
    where paper = 'according-to' and value is not null
)

select
    papers.table, papers.row, "column",
    papers.model as published_model, papers.value / 100 as published, papers.n as published_n,
    dataset, run_id, model_label,
    coalesce(papers.model in (ours.model, model_label), false) as is_same_model,
    coalesce(is_same_but_format and ours.format = formats.format, false) as is_same_setting,
    metric, ours.n, n_graded, ours, low, high, papers.note
from papers
inner join ours using (is_change, prompt, "column")
left join formats on papers.model = formats.model and starts_with("column", 'ELI5') = is_long
order by papers.table, "column", papers.row, papers.model, model_label, run_id
