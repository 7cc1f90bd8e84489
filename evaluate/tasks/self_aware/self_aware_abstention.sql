-- Does it abstain where there is no answer more often than where there is one?
-- Source: ours; the correction is Rogan and Gladen's (1978), Estimating prevalence from the results of a screening test
-- Grain: one row per model, form, scorer, encoder, threshold and references.
-- Columns: those; n calls, n_graded (the scorer could read them), n_unanswerable and n_answerable replies that came
-- (what cannot be read abstains from nothing); unanswerable and answerable: the share of each that abstains, and
-- difference, 0 for a model that abstains always, never or at random, each with low and high (95%, bootstrap over
-- pairs; of a rate of exactly 0 or 1 Wilson's over the replies); unanswerable_yes and answerable_yes: the replies that
-- abstain, of n_unanswerable and n_answerable; chance_difference: 0; sensitivity_unanswerable, sensitivity_answerable,
-- false_positives_unanswerable and false_positives_answerable: the scorer's own rates on real labelled replies to
-- questions of that kind (reader_errors; null where it was not measured): a scorer may err more on one kind than on the
-- other; corrected_unanswerable, corrected_answerable and corrected_difference: what they leave of these, from 0 to 1,
-- with corrected_difference_low and _high (95%, delta method: of the difference and of the scorer's own rates, which
-- are known from so many labelled replies alone; null where the scorer is no better than chance on either kind);
-- hedged: the share of answers that are unsure; difference_if_hedges_abstain: a bound; refused and unreadable: shares
-- of the replies that came (null of scorers that do not tell).
-- Needs: scores
with totals as (
    select
        setting,
        count(*) as n, count(abstained) as n_graded, avg(hedged) as hedged, count(kind) as n_kinds,
        count(*) filter (where kind = 'refuses') as n_refused,
        count(*) filter (where kind = 'unreadable') as n_unreadable
    from self_aware_replies
    group by setting
),

kinds (questions, is_answerable) as (
    values ('unanswerable', false), ('answerable', true)
),

abstaining as (
    select
        setting, questions,
        concat_ws('@', setting.scorer || '_abstained', if(setting.encoder = 'packaged', 'packaged', null)) as metric,
        count(*) filter (where answerable = is_answerable and not failed) as n,
        count(*) filter (where answerable = is_answerable and abstained = 1) as n_abstaining,
        count(*) filter (where answerable = is_answerable and hedged = 1) as n_hedged
    from self_aware_replies
    cross join kinds
    group by all
),

-- A rate of 0 of n has a variance too: two replies more, one of them wrong.
measured as (
    select
        metric, truth, questions,
        wrong / n as rate,
        (wrong + 1) / (n + 2) * (1 - (wrong + 1) / (n + 2)) / (n + 2) as variance
    from reader_errors
    where n > 0
),

scorer_rates as (
    select
        metric, questions,
        1 - max(rate) filter (where truth = 'abstains') as sensitivity,
        max(variance) filter (where truth = 'abstains') as sensitivity_variance,
        max(rate) filter (where truth = 'does not abstain') as false_positives,
        max(variance) filter (where truth = 'does not abstain') as false_positives_variance
    from measured
    group by all
),

-- `doubt`: the variance of the estimate that comes of the scorer's own rates.
estimates as (
    select
        *,
        n_abstaining / nullif(n, 0) as rate,
        nullif(greatest(0, sensitivity - false_positives), 0) as told_apart,
        (rate - false_positives) / told_apart as estimate,
        greatest(0, least(1, estimate)) as corrected,
        (estimate ** 2 * sensitivity_variance + (1 - estimate) ** 2 * false_positives_variance) / told_apart ** 2
            as doubt
    from abstaining
    left join scorer_rates using (metric, questions)
),

compared as (
    select
        totals.*, unanswerable, answerable,
        unanswerable.rate - answerable.rate as difference,
        unanswerable.estimate - answerable.estimate as estimated_difference,
        least(unanswerable.told_apart, answerable.told_apart) as told_apart,
        1.959964 * sqrt(unanswerable.doubt + answerable.doubt) as scorer_doubt
    from totals
    inner join estimates as unanswerable using (setting)
    inner join estimates as answerable using (setting)
    where unanswerable.questions = 'unanswerable' and answerable.questions = 'answerable'
)

select
    model, form, scorer, encoder, threshold, references_name,
    n, n_graded, unanswerable.n as n_unanswerable, answerable.n as n_answerable,
    unanswerable.n_abstaining as unanswerable_yes, answerable.n_abstaining as answerable_yes,
    unanswerable.rate as unanswerable,
    if(unanswerable.rate in (0, 1), wilson_low(unanswerable.n_abstaining, unanswerable.n), unanswerable_low)
        as unanswerable_low,
    if(unanswerable.rate in (0, 1), wilson_high(unanswerable.n_abstaining, unanswerable.n), unanswerable_high)
        as unanswerable_high,
    answerable.rate as answerable,
    if(answerable.rate in (0, 1), wilson_low(answerable.n_abstaining, answerable.n), answerable_low)
        as answerable_low,
    if(answerable.rate in (0, 1), wilson_high(answerable.n_abstaining, answerable.n), answerable_high)
        as answerable_high,
    difference, difference_low, difference_high, 0.0 as chance_difference,
    unanswerable.sensitivity as sensitivity_unanswerable, answerable.sensitivity as sensitivity_answerable,
    unanswerable.false_positives as false_positives_unanswerable,
    answerable.false_positives as false_positives_answerable,
    unanswerable.corrected as corrected_unanswerable, answerable.corrected as corrected_answerable,
    unanswerable.corrected - answerable.corrected as corrected_difference,
    greatest(
        -1, estimated_difference - sqrt(((difference - difference_low) / told_apart) ** 2 + scorer_doubt ** 2)
    ) as corrected_difference_low,
    least(
        1, estimated_difference + sqrt(((difference_high - difference) / told_apart) ** 2 + scorer_doubt ** 2)
    ) as corrected_difference_high,
    hedged,
    (unanswerable.n_abstaining + unanswerable.n_hedged) / nullif(unanswerable.n, 0)
    - (answerable.n_abstaining + answerable.n_hedged) / nullif(answerable.n, 0) as difference_if_hedges_abstain,
    if(n_kinds > 0, n_refused / (unanswerable.n + answerable.n), null) as refused,
    if(n_kinds > 0, n_unreadable / (unanswerable.n + answerable.n), null) as unreadable
from compared
inner join self_aware_intervals using (setting)
order by setting
