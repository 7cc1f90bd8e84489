-- Does it abstain where there is no answer more often than where there is one?
-- Source: ours; the correction is Rogan and Gladen's (1978), Estimating prevalence from the results of a screening test
-- Grain: one row a model, form, scorer, encoder, threshold and references.
-- Columns: those; n calls, n_graded (the scorer could read them), n_unanswerable and n_answerable replies that came
-- (what cannot be read abstains from nothing); unanswerable and answerable: the share of each that abstains, and
-- difference, 0 for a model that abstains always, never or at random, each with low and high (95%, bootstrap over
-- pairs; of a rate of exactly 0 or 1 Wilson's over the replies); chance_difference: 0; sensitivity_unanswerable,
-- sensitivity_answerable, false_positives_unanswerable and false_positives_answerable: the scorer's own rates on real
-- labelled replies to questions of that kind (reader_errors; null where it was not measured): a scorer may err more on
-- one kind than on the other; corrected_unanswerable, corrected_answerable and corrected_difference: what they leave
-- of these, from 0 to 1, with corrected_difference_low and _high (95%, delta method: of the difference and of the
-- scorer's own rates, which are known from so many labelled replies alone; null where the scorer is no better than
-- chance on either kind); hedged: the share of
-- answers that are unsure; difference_if_hedges_abstain: a bound; refused and unreadable: shares of the replies that
-- came (null of scorers that do not tell).
-- Needs: scores
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
        count(*) filter (where not answerable and not failed) as n_unanswerable,
        count(*) filter (where answerable and not failed) as n_answerable,
        count(*) filter (where not answerable and abstained = 1) as rightly,
        count(*) filter (where answerable and abstained = 1) as wrongly,
        count(*) filter (where not answerable and hedged = 1) as hedged_unanswerable,
        count(*) filter (where answerable and hedged = 1) as hedged_answerable,
        avg(hedged) as hedged,
        count(kind) as n_kinds,
        count(*) filter (where kind = 'refuses') as refused,
        count(*) filter (where kind = 'unreadable') as unreadable
    from self_aware_replies
    group by all
),

-- A rate of 0 of n has a variance too: two replies more, one of them wrong.
measured as (
    select
        metric,
        truth,
        questions,
        wrong / n as rate,
        (wrong + 1) / (n + 2) * (1 - (wrong + 1) / (n + 2)) / (n + 2) as variance
    from reader_errors
    where n > 0
),

scorer_rates as (
    select
        metric,
        1 - max(rate) filter (where truth = 'abstains' and questions = 'unanswerable') as sensitivity_unanswerable,
        1 - max(rate) filter (where truth = 'abstains' and questions = 'answerable') as sensitivity_answerable,
        max(rate) filter (where truth = 'does not abstain' and questions = 'unanswerable')
            as false_positives_unanswerable,
        max(rate) filter (where truth = 'does not abstain' and questions = 'answerable') as false_positives_answerable,
        max(variance) filter (where truth = 'abstains' and questions = 'unanswerable')
            as sensitivity_unanswerable_variance,
        max(variance) filter (where truth = 'abstains' and questions = 'answerable') as sensitivity_answerable_variance,
        max(variance) filter (where truth = 'does not abstain' and questions = 'unanswerable')
            as false_positives_unanswerable_variance,
        max(variance) filter (where truth = 'does not abstain' and questions = 'answerable')
            as false_positives_answerable_variance
    from measured
    group by metric
),

rates as (
    select
        counts.*,
        counts.rightly / nullif(counts.n_unanswerable, 0) as unanswerable,
        counts.wrongly / nullif(counts.n_answerable, 0) as answerable,
        scorer_rates.*,
        nullif(greatest(0, scorer_rates.sensitivity_unanswerable - scorer_rates.false_positives_unanswerable), 0)
            as unanswerable_told_apart,
        nullif(greatest(0, scorer_rates.sensitivity_answerable - scorer_rates.false_positives_answerable), 0)
            as answerable_told_apart
    from counts
    left join scorer_rates
        on
            scorer_rates.metric
            = concat_ws('@', counts.scorer || '_abstained', if(counts.encoder = 'packaged', counts.encoder, null))
),

estimates as (
    select
        *,
        (unanswerable - false_positives_unanswerable) / unanswerable_told_apart as unanswerable_estimate,
        (answerable - false_positives_answerable) / answerable_told_apart as answerable_estimate
    from rates
),

corrected as (
    select
        *,
        greatest(0, least(1, unanswerable_estimate)) as corrected_unanswerable,
        greatest(0, least(1, answerable_estimate)) as corrected_answerable,
        least(unanswerable_told_apart, answerable_told_apart) as told_apart,
        -- How far the doubt about the scorer's own rates carries (1.959964 is the 95% point).
        1.959964 * sqrt(
            (
                unanswerable_estimate ** 2 * sensitivity_unanswerable_variance
                + (1 - unanswerable_estimate) ** 2 * false_positives_unanswerable_variance
            ) / unanswerable_told_apart ** 2
            + (
                answerable_estimate ** 2 * sensitivity_answerable_variance
                + (1 - answerable_estimate) ** 2 * false_positives_answerable_variance
            ) / answerable_told_apart ** 2
        ) as scorer_doubt
    from estimates
)

select
    corrected.model,
    corrected.form,
    corrected.scorer,
    corrected.encoder,
    corrected.threshold,
    corrected.references_name,
    corrected.n,
    corrected.n_graded,
    corrected.n_unanswerable,
    corrected.n_answerable,
    corrected.unanswerable,
    if(
        corrected.unanswerable in (0, 1),
        wilson_low(corrected.rightly, corrected.n_unanswerable),
        intervals.unanswerable_low
    ) as unanswerable_low,
    if(
        corrected.unanswerable in (0, 1),
        wilson_high(corrected.rightly, corrected.n_unanswerable),
        intervals.unanswerable_high
    ) as unanswerable_high,
    corrected.answerable,
    if(
        corrected.answerable in (0, 1), wilson_low(corrected.wrongly, corrected.n_answerable), intervals.answerable_low
    ) as answerable_low,
    if(
        corrected.answerable in (0, 1),
        wilson_high(corrected.wrongly, corrected.n_answerable),
        intervals.answerable_high
    ) as answerable_high,
    corrected.unanswerable - corrected.answerable as difference,
    intervals.difference_low,
    intervals.difference_high,
    0.0 as chance_difference,
    corrected.sensitivity_unanswerable,
    corrected.sensitivity_answerable,
    corrected.false_positives_unanswerable,
    corrected.false_positives_answerable,
    corrected.corrected_unanswerable,
    corrected.corrected_answerable,
    corrected.corrected_unanswerable - corrected.corrected_answerable as corrected_difference,
    greatest(
        -1,
        corrected.unanswerable_estimate - corrected.answerable_estimate
        - sqrt(
            ((corrected.unanswerable - corrected.answerable - intervals.difference_low) / corrected.told_apart) ** 2
            + corrected.scorer_doubt ** 2
        )
    ) as corrected_difference_low,
    least(
        1,
        corrected.unanswerable_estimate - corrected.answerable_estimate
        + sqrt(
            ((intervals.difference_high - corrected.unanswerable + corrected.answerable) / corrected.told_apart) ** 2
            + corrected.scorer_doubt ** 2
        )
    ) as corrected_difference_high,
    corrected.hedged,
    (corrected.rightly + corrected.hedged_unanswerable) / nullif(corrected.n_unanswerable, 0)
    - (corrected.wrongly + corrected.hedged_answerable) / nullif(corrected.n_answerable, 0)
        as difference_if_hedges_abstain,
    if(corrected.n_kinds > 0, corrected.refused / (corrected.n_unanswerable + corrected.n_answerable), null) as refused,
    if(corrected.n_kinds > 0, corrected.unreadable / (corrected.n_unanswerable + corrected.n_answerable), null)
        as unreadable
from corrected
inner join self_aware_intervals as intervals
    on
        corrected.cohort = intervals.cohort
        and corrected.model = intervals.model
        and corrected.form = intervals.form
        and corrected.scorer = intervals.scorer
        and corrected.encoder is not distinct from intervals.encoder
        and corrected.threshold is not distinct from intervals.threshold
        and corrected.references_name is not distinct from intervals.references_name
order by
    corrected.cohort,
    corrected.model,
    corrected.form,
    corrected.scorer,
    corrected.encoder,
    corrected.references_name
