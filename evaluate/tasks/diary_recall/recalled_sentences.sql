-- Does it recall as many sentences as there are?
-- Source: Prato et al., Figure 8, over the recalled documents that are in the target
-- Grain: one row a cohort, length of the target document and length recalled, in sentences.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); target_sentences, recalled_sentences; n documents
-- of this target length that were recalled (n_graded is the same: each has a length), n_diarists, n_documents with this
-- length recalled; share, low and high (95%, bootstrap over diarists, whose documents are no independent trials);
-- chance: all lengths are equally likely.
-- Needs: scores
with diarists as (
    select
        answers.cohort,
        documents.target_sentences,
        answers.example_id,
        list_sort(list(documents.recalled_sentences)) as lengths
    from answers
    inner join documents on answers.generation_id = documents.generation_id
    where documents.fate in ('correct', 'wrong')
    group by all
),

alike as (
    select
        cohort,
        target_sentences,
        lengths,
        count(*) as diarists
    from diarists
    group by all
),

cells as (
    select distinct
        cohort,
        target_sentences,
        unnest(lengths) as recalled_sentences
    from alike
),

-- every cell with every kind of diarist of its target length, those who recalled none of its length among them
counted as (
    select
        cells.cohort,
        cells.target_sentences,
        cells.recalled_sentences,
        len(alike.lengths) as recalled,
        len(list_filter(alike.lengths, lambda length: length = cells.recalled_sentences)) as documents,
        sum(alike.diarists)::bigint as diarists
    from cells
    inner join alike on cells.cohort = alike.cohort and cells.target_sentences = alike.target_sentences
    group by all
),

shares as (
    select
        cohort,
        target_sentences,
        recalled_sentences,
        sum(recalled * diarists)::bigint as n,
        sum(recalled * diarists)::bigint as n_graded,
        sum(diarists)::bigint as n_diarists,
        sum(documents * diarists)::bigint as n_documents,
        sum(documents * diarists) / sum(recalled * diarists) as share,
        resampling(
            list(documents order by recalled, documents),
            list(recalled order by recalled, documents),
            list(diarists order by recalled, documents)
        ) as resampling
    from counted
    group by cohort, target_sentences, recalled_sentences
),

quantiles as (
    select
        shares.cohort,
        shares.target_sentences,
        shares.recalled_sentences,
        quantile_cont(
            resampled_ratio(shares.resampling, bootstrap_draws.replicate, bootstrap_draws.draws), [0.025, 0.975]
        ) as ends
    from shares
    cross join bootstrap_draws
    group by shares.cohort, shares.target_sentences, shares.recalled_sentences
)

select
    diary_cohorts.cohort,
    diary_cohorts.model_label,
    diary_cohorts.dataset_size,
    diary_cohorts.setup,
    shares.* exclude (cohort, resampling),
    bootstrap_low(quantiles.ends[1], shares.share, shares.n_diarists) as low,
    bootstrap_high(quantiles.ends[2], shares.share, shares.n_diarists) as high,
    1 / diary_cohorts.max_sentences as chance
from diary_cohorts
inner join shares on diary_cohorts.cohort = shares.cohort
inner join quantiles
    on
        shares.cohort = quantiles.cohort
        and shares.target_sentences = quantiles.target_sentences
        and shares.recalled_sentences = quantiles.recalled_sentences
order by diary_cohorts.cohort, shares.target_sentences, shares.recalled_sentences
