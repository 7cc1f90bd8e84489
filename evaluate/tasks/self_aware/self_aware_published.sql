-- How do our numbers compare with the paper's?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, Figures 2 to 6 and Appendix A.3
-- Grain: one row per number of the paper, and model of ours with the authors' questions in the same form; F1 is by the
-- paper's scorer, accuracy by the paper's definition.
-- Columns: table, row, column and published_model (the paper's), published, published_n, note; form, measure; model,
-- is_same_model (by name or label; our volunteers match the paper's), is_same_setting (all of the authors' questions in
-- their wording at temperature 0.7 and top-p 1, no stop string, at least 1,024 new tokens, and for F1 their encoder,
-- phrases and threshold; for volunteers 100 questions; false if the run lacks any of these, and for GPT-3 and
-- InstructGPT, which the authors sampled with penalties of 0.5), n replies, n_graded, ours, low and high (95%; see
-- self_aware_f1 and self_aware_accuracy), chance: always abstaining, or always the same answer.
-- Needs: scores
with forms (form, printed) as (
    values
    ('direct', 'Direct'), ('instruction', 'Instruction'), ('icl', 'In-Context Learning'),
    ('paper-direct', 'Direct'), ('paper-instruction', 'Instruction'), ('paper-icl', 'In-Context Learning')
),

-- From the authors' code (run_model.py): these models have penalties, and at most 256 tokens.
with_penalties (model) as (
    values
    ('ada'), ('babbage'), ('curie'), ('davinci'),
    ('text-ada-001'), ('text-babbage-001'), ('text-curie-001'),
    ('text-davinci-001'), ('text-davinci-002'), ('text-davinci-003')
),

-- A cohort may have several runs: all of them must have the authors' settings.
asked_as_authors as (
    select
        cohort, model, variant as form,
        bool_and(coalesce(
            settings::json ->> 'wording' = 'paper'
            and json_type(settings::json, '$.limit') = 'NULL'
            and temperature = 0.7
            and max_new_tokens >= 1024
            and (decoding::json ->> 'top_p')::double = 1
            and json_array_length(decoding::json, '$.stop') = 0,
            false
        )) as has_same_prompts
    from calls
    inner join runs using (run_id)
    where calls.task = 'self-aware'
    group by all
),

authors_questions as (
    select cohort
    from self_aware_replies
    group by cohort
    having
        bool_and(
            source in (
                'SelfAware', 'squadqa_train', 'squadqa_dev',
                'hotpot_train', 'hotpot_dev', 'triviaqa_train', 'triviaqa_dev'
            )
        )
),

measured as (
    select
        cohort, model, form, 'F1' as measure,
        coalesce(
            encoder = 'princeton-nlp/sup-simcse-roberta-large' and threshold = 0.75 and references_name = 'paper', false
        ) as has_same_scorer,
        n, n_graded, f1 as ours, f1_low as low, f1_high as high, chance_f1 as chance
    from self_aware_rates
    where scorer = 'paper'
    union all
    select
        cohort, model, form, 'accuracy' as measure, true as has_same_scorer,
        n, n_graded, substring_match, substring_match_low, substring_match_high, chance
    from self_aware_accuracies
),

ours as (
    select
        measured.*, model_label,
        starts_with(measured.model, 'human/') as is_human,
        printed as column_printed,
        coalesce(has_same_prompts, false) and has_same_scorer as is_same_setting
    from measured
    inner join authors_questions using (cohort)
    inner join cohorts using (cohort)
    left join forms using (form)
    left join asked_as_authors using (cohort, model, form)
),

papers as (
    select
        *,
        if(published.table = 'figure-6', 'accuracy', 'F1') as measure,
        model = 'Human' as is_human
    from published
    where
        paper = 'what-they-dont-know'
        and published.table in ('figure-2', 'figure-3', 'figure-4', 'figure-5', 'figure-6', 'human')
        and value is not null
)

select
    papers.table, papers.row, papers."column", papers.model as published_model,
    papers.value / 100 as published, papers.n as published_n,
    ours.form, ours.measure, ours.model,
    ours.is_human or papers.model in (ours.model, ours.model_label) as is_same_model,
    case
        when ours.is_human then ours.n = papers.n
        else ours.is_same_setting and papers.model not in (select with_penalties.model from with_penalties)
    end as is_same_setting,
    ours.n, ours.n_graded, ours.ours, ours.low, ours.high, ours.chance,
    papers.note
from papers
inner join ours
    on
        papers.measure = ours.measure
        and papers.is_human = ours.is_human
        and (papers.is_human or papers."column" = ours.column_printed)
order by papers.table, papers."column", papers.row, papers.model, ours.cohort, ours.model
