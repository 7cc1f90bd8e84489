-- self_aware_intervals: 95% intervals of F1, precision and recall of abstaining, and of abstaining falsely.
-- Grain: one row a cohort, model, form, scorer, encoder, threshold and references.
-- Columns: those, and f1_low, f1_high, precision_low, …, false_abstention_low, false_abstention_high, over the replies
-- that the scorer counts; unanswerable_low, …, answerable_low, …, difference_low, difference_high, over all that came.
create or replace view self_aware_intervals as
select
    cohort,
    model,
    form,
    scorer,
    encoder,
    threshold,
    references_name,
    quantile_cont(f1, 0.025) as f1_low,
    quantile_cont(f1, 0.975) as f1_high,
    quantile_cont(precision, 0.025) as precision_low,
    quantile_cont(precision, 0.975) as precision_high,
    quantile_cont(recall, 0.025) as recall_low,
    quantile_cont(recall, 0.975) as recall_high,
    quantile_cont(false_abstention, 0.025) as false_abstention_low,
    quantile_cont(false_abstention, 0.975) as false_abstention_high,
    quantile_cont(unanswerable, 0.025) as unanswerable_low,
    quantile_cont(unanswerable, 0.975) as unanswerable_high,
    quantile_cont(answerable, 0.025) as answerable_low,
    quantile_cont(answerable, 0.975) as answerable_high,
    quantile_cont(unanswerable - answerable, 0.025) as difference_low,
    quantile_cont(unanswerable - answerable, 0.975) as difference_high
from self_aware_replicates
group by all;
