-- self_aware_replicates: the rates of abstaining in each replicate of the bootstrap.
-- Grain: one row per cohort, model, form, scorer, encoder, threshold, references and replicate; there are 1,000
-- replicates.
-- Columns: cohort, model, form, scorer, encoder, threshold, references_name, replicate; f1, precision, recall and
-- false_abstention over the replies that the scorer counts; unanswerable and answerable over all replies; setting.
-- Each replicate draws whole pairs, within strata of pairs with the same number of questions of each label, and scales
-- them to the stratum's size. So every replicate has the same number of questions of each label. If a draw takes no
-- pair of a stratum, the whole stratum is used. A pair has the same draws for all models and forms.
create or replace view self_aware_replicates as
with pairs as (
    select
        setting, stratum, pair_id,
        count(*) filter (where not answerable and abstained is not null) as positives,
        count(*) filter (where answerable and abstained is not null) as negatives,
        count(*) filter (where not answerable and not failed) as replied_positives,
        count(*) filter (where answerable and not failed) as replied_negatives,
        count(*) filter (where not answerable and abstained = 1) as true_positives,
        count(*) filter (where answerable and abstained = 1) as false_positives
    from self_aware_replies
    group by all
),

-- Grouping by a number is faster than grouping by a setting.
numbered as (
    select *, dense_rank() over (order by setting) as number
    from pairs
),

weights as materialized (
    select pair_id, replicate, poisson_weight(replicate, pair_id) as weight
    from (select distinct pair_id from pairs) as drawn
    cross join range(1000) as numbers (replicate)
),

strata as (
    select
        number, stratum, replicate,
        within_stratum(positives, weight) as positives,
        within_stratum(negatives, weight) as negatives,
        within_stratum(replied_positives, weight) as replied_positives,
        within_stratum(replied_negatives, weight) as replied_negatives,
        within_stratum(true_positives, weight) as true_positives,
        within_stratum(false_positives, weight) as false_positives
    from numbered
    inner join weights using (pair_id)
    group by all
),

replicates as (
    select
        number, replicate,
        sum(positives) as positives, sum(negatives) as negatives,
        sum(replied_positives) as replied_positives, sum(replied_negatives) as replied_negatives,
        sum(true_positives) as true_positives, sum(false_positives) as false_positives
    from strata
    group by all
),

settings as (
    select distinct number, setting
    from numbered
)

select
    unnest(setting), replicate,
    f1(true_positives, true_positives + false_positives, positives) as f1,
    true_positives / nullif(true_positives + false_positives, 0) as precision,
    true_positives / nullif(positives, 0) as recall,
    false_positives / nullif(negatives, 0) as false_abstention,
    true_positives / nullif(replied_positives, 0) as unanswerable,
    false_positives / nullif(replied_negatives, 0) as answerable,
    setting
from replicates
inner join settings using (number);
