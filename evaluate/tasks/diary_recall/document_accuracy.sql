-- Are longer documents recalled with more errors?
-- Source: Prato et al., Figure 7: of the recalled documents that are in the target, the share without an error
-- Grain: one row a cohort and length of the target document in sentences.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); target_sentences; n documents of this length in
-- the targets of scored answers, n_graded of them (those that were recalled), n_diarists; document_accuracy, low and
-- high (95%, bootstrap over diarists, whose documents are no independent trials); chance: a random body of the right
-- length (k of 8 attributes in order, each with one of 2 values; null for a corpus of your own).
-- Needs: scores
with diarists as (
    select
        answers.cohort,
        documents.target_sentences,
        answers.example_id,
        count(*) as documents,
        count(*) filter (where documents.fate <> 'missing') as recalled,
        count(*) filter (where documents.fate = 'correct') as correct
    from answers
    inner join documents on answers.generation_id = documents.generation_id
    where documents.fate in ('correct', 'wrong', 'missing')
    group by all
),

alike as (
    select
        cohort,
        target_sentences,
        recalled,
        correct,
        sum(documents) as documents,
        count(*) as diarists
    from diarists
    group by all
),

shares as (
    select
        cohort,
        target_sentences,
        sum(documents)::bigint as n,
        sum(recalled * diarists)::bigint as n_graded,
        coalesce(sum(diarists) filter (where recalled > 0), 0)::bigint as n_diarists,
        sum(correct * diarists) / nullif(sum(recalled * diarists), 0) as document_accuracy,
        resampling(
            list(correct order by recalled, correct) filter (where recalled > 0),
            list(recalled order by recalled, correct) filter (where recalled > 0),
            list(diarists order by recalled, correct) filter (where recalled > 0)
        ) as resampling
    from alike
    group by cohort, target_sentences
),

quantiles as (
    select
        shares.cohort,
        shares.target_sentences,
        quantile_cont(
            resampled_ratio(shares.resampling, bootstrap_draws.replicate, bootstrap_draws.draws), [0.025, 0.975]
        ) as ends
    from shares
    cross join bootstrap_draws
    group by shares.cohort, shares.target_sentences
)

select
    diary_cohorts.cohort,
    diary_cohorts.model_label,
    diary_cohorts.dataset_size,
    diary_cohorts.setup,
    shares.* exclude (cohort, resampling),
    bootstrap_low(quantiles.ends[1], shares.document_accuracy, shares.n_diarists) as low,
    bootstrap_high(quantiles.ends[2], shares.document_accuracy, shares.n_diarists) as high,
    case
        when diary_cohorts.of_attributes and shares.target_sentences between 1 and 8
            then factorial(8 - shares.target_sentences) / factorial(8) / power(2, shares.target_sentences)
    end as chance
from diary_cohorts
inner join shares on diary_cohorts.cohort = shares.cohort
inner join quantiles on shares.cohort = quantiles.cohort and shares.target_sentences = quantiles.target_sentences
order by diary_cohorts.cohort, shares.target_sentences
