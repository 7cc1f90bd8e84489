-- How do our numbers compare with the paper's?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, Figures 2 to 6 and Appendix A.3
-- Grain: one row per number of the paper and a model of ours that was asked the authors' questions in the same form; F1
-- by the paper's scorer, accuracy as the paper counts it.
-- Columns: table, row, column and published_model (the paper's), published, published_n, note; form, measure; model,
-- is_same_model (by name or label; volunteers stand beside the paper's), is_same_setting (all of the authors'
-- questions in their wording at temperature 0.7 and top-p 1, no stop, at least 1,024 new tokens, and for F1 their
-- encoder, phrases and threshold; of volunteers 100 questions; what a run does not say is false, and so are the numbers
-- of GPT-3 and InstructGPT, which were drawn with penalties of 0.5 that nothing here sets), n replies, n_graded,
-- ours, low and high (95%; see self_aware_f1 and self_aware_accuracy), chance: always abstaining, or always the same
-- answer.
-- Needs: scores
with forms (form, printed) as (
    values
    ('direct', 'Direct'), ('instruction', 'Instruction'), ('icl', 'In-Context Learning'),
    ('paper-direct', 'Direct'), ('paper-instruction', 'Instruction'), ('paper-icl', 'In-Context Learning')
),

-- Of the authors' code (run_model.py): with penalties, and at most 256 tokens.
with_penalties (model) as (
    values
    ('ada'), ('babbage'), ('curie'), ('davinci'),
    ('text-ada-001'), ('text-babbage-001'), ('text-curie-001'),
    ('text-davinci-001'), ('text-davinci-002'), ('text-davinci-003')
),

-- A cohort may have several runs: all of them have to be asked so.
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
        )) as is_asked_alike
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
        ) as is_scored_alike,
        n, n_graded, f1 as ours, f1_low as low, f1_high as high, chance_f1 as chance
    from self_aware_rates
    where scorer = 'paper'
    union all
    select
        cohort, model, form, 'accuracy' as measure, true as is_scored_alike,
        n, n_graded, substring_match, substring_match_low, substring_match_high, chance
    from self_aware_accuracies
),

ours as (
    select
        measured.*, model_label,
        starts_with(measured.model, 'human/') as is_human,
        printed as column_printed,
        coalesce(is_asked_alike, false) and is_scored_alike as is_same_setting
    from measured
    inner join authors_questions using (cohort)
    inner join cohorts using (cohort)
    left join forms using (form)
    left join asked_as_authors using (cohort, model, form)
),

theirs as (
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
    theirs.table, theirs.row, theirs."column", theirs.model as published_model,
    theirs.value / 100 as published, theirs.n as published_n,
    ours.form, ours.measure, ours.model,
    ours.is_human or theirs.model in (ours.model, ours.model_label) as is_same_model,
    case
        when ours.is_human then ours.n = theirs.n
        else ours.is_same_setting and theirs.model not in (select with_penalties.model from with_penalties)
    end as is_same_setting,
    ours.n, ours.n_graded, ours.ours, ours.low, ours.high, ours.chance,
    theirs.note
from theirs
inner join ours
    on
        theirs.measure = ours.measure
        and theirs.is_human = ours.is_human
        and (theirs.is_human or theirs."column" = ours.column_printed)
order by theirs.table, theirs."column", theirs.row, theirs.model, ours.cohort, ours.model
