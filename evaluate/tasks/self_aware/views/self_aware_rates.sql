-- self_aware_rates: how often each model abstains where there is no answer, and where there is one.
-- Grain: one row a cohort, model, form, scorer, encoder, threshold and references.
-- Columns: those of `self_aware_f1`, and the cohort and its question_set (the config that was asked).
create or replace view self_aware_rates as
with counts as (
    select
        cohort,
        model,
        form,
        scorer,
        encoder,
        threshold,
        references_name,
        count(*) as n,
        count(abstained) as n_graded,
        count(abstained) filter (where not answerable) as n_unanswerable,
        count(abstained) filter (where answerable) as n_answerable,
        count(distinct pair_id) filter (where not answerable and abstained is not null) as unanswerable_pairs,
        count(distinct pair_id) filter (where answerable and abstained is not null) as answerable_pairs,
        count(distinct pair_id) filter (where abstained = 1) as abstained_pairs,
        count(*) filter (where abstained = 1) as abstained,
        count(*) filter (where abstained = 1 and not answerable) as rightly,
        avg(substring_match) as substring_match,
        avg(whole_word_match) as accuracy
    from self_aware_replies
    group by all
),

rates as (
    select
        *,
        2 * rightly / nullif(abstained + n_unanswerable, 0) as f1,
        rightly / nullif(abstained, 0) as precision,
        rightly / nullif(n_unanswerable, 0) as recall,
        (abstained - rightly) / nullif(n_answerable, 0) as false_abstention,
        2 * n_unanswerable / nullif(n_graded + n_unanswerable, 0) as chance_f1
    from counts
)

select
    rates.cohort,
    cohorts.question_set,
    rates.model,
    rates.form,
    rates.scorer,
    rates.encoder,
    rates.threshold,
    rates.references_name,
    rates.n,
    rates.n_graded,
    rates.n_unanswerable,
    rates.n_answerable,
    rates.f1,
    bootstrap_low(intervals.f1_low, rates.f1, rates.unanswerable_pairs) as f1_low,
    case
        when rates.f1 = 0 and rates.unanswerable_pairs > 1
            then 2 * wilson_high(0, rates.unanswerable_pairs) / (1 + wilson_high(0, rates.unanswerable_pairs))
        else bootstrap_high(intervals.f1_high, rates.f1, rates.unanswerable_pairs)
    end as f1_high,
    rates.chance_f1,
    rates.precision,
    bootstrap_low(intervals.precision_low, rates.precision, rates.abstained_pairs) as precision_low,
    bootstrap_high(intervals.precision_high, rates.precision, rates.abstained_pairs) as precision_high,
    rates.recall,
    bootstrap_low(intervals.recall_low, rates.recall, rates.unanswerable_pairs) as recall_low,
    bootstrap_high(intervals.recall_high, rates.recall, rates.unanswerable_pairs) as recall_high,
    rates.false_abstention,
    bootstrap_low(
        intervals.false_abstention_low, rates.false_abstention, rates.answerable_pairs
    ) as false_abstention_low,
    bootstrap_high(
        intervals.false_abstention_high, rates.false_abstention, rates.answerable_pairs
    ) as false_abstention_high,
    rates.substring_match,
    rates.accuracy,
    -- what volunteers wrote is imported under this name (`selfknow annotate import-volunteers`)
    starts_with(rates.model, 'human/') as is_human
from rates
inner join cohorts on rates.cohort = cohorts.cohort
inner join self_aware_intervals as intervals
    on
        rates.cohort = intervals.cohort
        and rates.model = intervals.model
        and rates.form = intervals.form
        and rates.scorer = intervals.scorer
        and rates.encoder is not distinct from intervals.encoder
        and rates.threshold is not distinct from intervals.threshold
        and rates.references_name is not distinct from intervals.references_name;
