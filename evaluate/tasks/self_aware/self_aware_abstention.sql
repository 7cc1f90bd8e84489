-- Does it abstain where there is no answer more often than where there is one?
-- Source: ours; the correction is Rogan and Gladen's (1978), Estimating prevalence from the results of a screening test
-- Grain: one row per model, form, scorer, encoder, threshold and references.
-- Columns: model, form, scorer, encoder, threshold, references_name; n calls, n_graded (readable by the scorer),
-- n_unanswerable and n_answerable replies (an unreadable reply does not abstain); unanswerable and answerable (the
-- share of each that abstains) and difference (0 for a model that abstains always, never or at random), each with low
-- and high (95%, bootstrap over pairs; Wilson's over the replies for a rate of exactly 0 or 1); unanswerable_yes and
-- answerable_yes (replies that abstain); chance_difference (0); sensitivity_unanswerable, sensitivity_answerable,
-- false_positives_unanswerable and false_positives_answerable (the scorer's rates on real labelled replies to questions
-- of that kind, from reader_errors; null if not reader_rates); corrected_unanswerable, corrected_answerable and
-- corrected_difference (corrected for these rates), corrected_difference_low and _high (95%, delta method: from the
-- intervals of the difference and of the scorer's rates; null if the scorer is no better than chance on either kind);
-- hedged (the share of answers that are unsure), difference_if_hedges_abstain (a bound), refused and unreadable (shares
-- of the replies; null for scorers without these classes).
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

-- Two more replies, one of them wrong, give a rate of 0 a variance, too.
reader_rates as (
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
    from reader_rates
    group by all
),

-- `doubt`: the part of the estimate's variance that is due to the scorer's own rates.
estimates as (
    select
        *,
        n_abstaining / nullif(n, 0) as rate,
        nullif(greatest(0, sensitivity - false_positives), 0) as discrimination,
        (rate - false_positives) / discrimination as estimate,
        greatest(0, least(1, estimate)) as corrected,
        (estimate ** 2 * sensitivity_variance + (1 - estimate) ** 2 * false_positives_variance) / discrimination ** 2
            as doubt
    from abstaining
    left join scorer_rates using (metric, questions)
),

compared as (
    select
        totals.*, unanswerable, answerable,
        unanswerable.rate - answerable.rate as difference,
        unanswerable.estimate - answerable.estimate as estimated_difference,
        least(unanswerable.discrimination, answerable.discrimination) as discrimination,
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
        -1, estimated_difference - sqrt(((difference - difference_low) / discrimination) ** 2 + scorer_doubt ** 2)
    ) as corrected_difference_low,
    least(
        1, estimated_difference + sqrt(((difference_high - difference) / discrimination) ** 2 + scorer_doubt ** 2)
    ) as corrected_difference_high,
    hedged,
    (unanswerable.n_abstaining + unanswerable.n_hedged) / nullif(unanswerable.n, 0)
    - (answerable.n_abstaining + answerable.n_hedged) / nullif(answerable.n, 0) as difference_if_hedges_abstain,
    if(n_kinds > 0, n_refused / (unanswerable.n + answerable.n), null) as refused,
    if(n_kinds > 0, n_unreadable / (unanswerable.n + answerable.n), null) as unreadable
from compared
inner join self_aware_intervals using (setting)
order by setting
