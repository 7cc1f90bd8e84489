-- self_aware_replicates: the rates of abstaining in each replicate of the bootstrap.
-- Grain: one row a cohort, model, form, scorer, encoder, threshold, references and replicate, 1,000 in all.
-- Columns: those; f1, precision, recall and false_abstention over the replies that the scorer counts; unanswerable and
-- answerable over all that came.
-- Each replicate draws whole pairs, within strata of pairs with equally many questions of either label, and weights
-- them to the stratum's size. So every replicate has the same number of questions of each label. If a draw takes no
-- pair of a stratum, the whole stratum is used. A pair has the same draws for all models and
-- forms.
create or replace view self_aware_replicates as
with pairs as (
    select
        cohort,
        model,
        form,
        scorer,
        encoder,
        threshold,
        references_name,
        stratum,
        pair_id,
        count(*) filter (where not answerable and abstained is not null) as positives,
        count(*) filter (where answerable and abstained is not null) as negatives,
        count(*) filter (where not answerable and not failed) as replied_positives,
        count(*) filter (where answerable and not failed) as replied_negatives,
        count(*) filter (where not answerable and abstained = 1) as true_positives,
        count(*) filter (where answerable and abstained = 1) as false_positives
    from self_aware_replies
    group by all
),

weights as materialized (
    select
        drawn.pair_id,
        numbers.replicate,
        poisson_weight(numbers.replicate, drawn.pair_id) as weight
    from (select distinct pair_id from pairs) as drawn
    cross join range(1000) as numbers (replicate)
),

strata as (
    select
        pairs.cohort,
        pairs.model,
        pairs.form,
        pairs.scorer,
        pairs.encoder,
        pairs.threshold,
        pairs.references_name,
        pairs.stratum,
        weights.replicate,
        sum(weights.weight) / count(*) as mean_weight,
        sum(pairs.positives) as positives,
        sum(pairs.positives * weights.weight) as drawn_positives,
        sum(pairs.negatives) as negatives,
        sum(pairs.negatives * weights.weight) as drawn_negatives,
        sum(pairs.replied_positives) as replied_positives,
        sum(pairs.replied_positives * weights.weight) as drawn_replied_positives,
        sum(pairs.replied_negatives) as replied_negatives,
        sum(pairs.replied_negatives * weights.weight) as drawn_replied_negatives,
        sum(pairs.true_positives) as true_positives,
        sum(pairs.true_positives * weights.weight) as drawn_true_positives,
        sum(pairs.false_positives) as false_positives,
        sum(pairs.false_positives * weights.weight) as drawn_false_positives
    from pairs
    inner join weights on pairs.pair_id = weights.pair_id
    group by all
),

replicates as (
    select
        cohort,
        model,
        form,
        scorer,
        encoder,
        threshold,
        references_name,
        replicate,
        sum(if(mean_weight > 0, drawn_positives / mean_weight, positives)) as positives,
        sum(if(mean_weight > 0, drawn_negatives / mean_weight, negatives)) as negatives,
        sum(if(mean_weight > 0, drawn_replied_positives / mean_weight, replied_positives)) as replied_positives,
        sum(if(mean_weight > 0, drawn_replied_negatives / mean_weight, replied_negatives)) as replied_negatives,
        sum(if(mean_weight > 0, drawn_true_positives / mean_weight, true_positives)) as true_positives,
        sum(if(mean_weight > 0, drawn_false_positives / mean_weight, false_positives)) as false_positives
    from strata
    group by all
)

select
    cohort,
    model,
    form,
    scorer,
    encoder,
    threshold,
    references_name,
    replicate,
    2 * true_positives / nullif(true_positives + false_positives + positives, 0) as f1,
    true_positives / nullif(true_positives + false_positives, 0) as precision,
    true_positives / nullif(positives, 0) as recall,
    false_positives / nullif(negatives, 0) as false_abstention,
    true_positives / nullif(replied_positives, 0) as unanswerable,
    false_positives / nullif(replied_negatives, 0) as answerable
from replicates;
