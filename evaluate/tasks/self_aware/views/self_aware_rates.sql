-- self_aware_rates: how often each model abstains from unanswerable and from answerable questions.
-- Grain: one row per cohort, model, form, scorer, encoder, threshold and references.
-- Columns: those of `self_aware_f1`, cohort and setting.
create or replace view self_aware_rates as
with counts as (
    select
        setting,
        count(*) as n, count(abstained) as n_graded,
        count(abstained) filter (where not answerable) as n_unanswerable,
        count(abstained) filter (where answerable) as n_answerable,
        count(distinct pair_id) filter (where not answerable and abstained is not null) as unanswerable_pairs,
        count(distinct pair_id) filter (where answerable and abstained is not null) as answerable_pairs,
        count(distinct pair_id) filter (where abstained = 1) as abstained_pairs,
        count(*) filter (where abstained = 1) as abstained,
        count(*) filter (where abstained = 1 and not answerable) as true_positives,
        avg(substring_match) as substring_match, avg(whole_word_match) as accuracy
    from self_aware_replies
    group by setting
),

rates as (
    select
        *,
        f1(true_positives, abstained, n_unanswerable) as f1,
        true_positives / nullif(abstained, 0) as precision,
        true_positives / nullif(n_unanswerable, 0) as recall,
        (abstained - true_positives) / nullif(n_answerable, 0) as false_abstention,
        f1(n_unanswerable, n_graded, n_unanswerable) as chance_f1
    from counts
)

select
    cohorts.cohort, cohorts.question_set,
    intervals.model, form, scorer, encoder, threshold, references_name,
    n, n_graded, n_unanswerable, n_answerable,
    f1,
    bootstrap_low(intervals.f1_low, f1, unanswerable_pairs) as f1_low,
    if(
        f1 = 0 and unanswerable_pairs > 1,
        f1(wilson_high(0, unanswerable_pairs), wilson_high(0, unanswerable_pairs), 1),
        bootstrap_high(intervals.f1_high, f1, unanswerable_pairs)
    ) as f1_high,
    chance_f1,
    rates.precision,
    bootstrap_low(intervals.precision_low, rates.precision, abstained_pairs) as precision_low,
    bootstrap_high(intervals.precision_high, rates.precision, abstained_pairs) as precision_high,
    recall,
    bootstrap_low(intervals.recall_low, recall, unanswerable_pairs) as recall_low,
    bootstrap_high(intervals.recall_high, recall, unanswerable_pairs) as recall_high,
    false_abstention,
    bootstrap_low(intervals.false_abstention_low, false_abstention, answerable_pairs) as false_abstention_low,
    bootstrap_high(intervals.false_abstention_high, false_abstention, answerable_pairs) as false_abstention_high,
    substring_match, accuracy,
    -- `selfknow advanced annotate import-volunteers` gives volunteers such names
    starts_with(intervals.model, 'human/') as is_human,
    setting
from rates
inner join self_aware_intervals as intervals using (setting)
inner join cohorts using (cohort);
