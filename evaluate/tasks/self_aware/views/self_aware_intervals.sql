-- self_aware_intervals: 95% intervals of F1, precision and recall of abstaining, and of false abstention.
-- Grain: one row per cohort, model, form, scorer, encoder, threshold and references.
-- Columns: cohort, model, form, scorer, encoder, threshold, references_name; f1_low, f1_high, precision_low, …,
-- false_abstention_low, false_abstention_high, over the replies that the scorer counts; unanswerable_low, …,
-- answerable_low, …, difference_low, difference_high, over all replies; setting.
create or replace view self_aware_intervals as
with intervals as (
    select
        setting,
        percentiles(f1) as f1, percentiles(precision) as precision, percentiles(recall) as recall,
        percentiles(false_abstention) as false_abstention,
        percentiles(unanswerable) as unanswerable, percentiles(answerable) as answerable,
        percentiles(unanswerable - answerable) as difference
    from self_aware_replicates
    group by setting
)

select
    unnest(setting),
    f1.low as f1_low, f1.high as f1_high,
    precision.low as precision_low, precision.high as precision_high,
    recall.low as recall_low, recall.high as recall_high,
    false_abstention.low as false_abstention_low, false_abstention.high as false_abstention_high,
    unanswerable.low as unanswerable_low, unanswerable.high as unanswerable_high,
    answerable.low as answerable_low, answerable.high as answerable_high,
    difference.low as difference_low, difference.high as difference_high,
    setting
from intervals;
