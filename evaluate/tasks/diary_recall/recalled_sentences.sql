-- Does it recall as many sentences as there are?
-- Source: Prato et al., Figure 8, over the recalled documents that are in the target
-- Grain: one row per cohort, length of the target document and length recalled, in sentences.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); target_sentences, recalled_sentences; n documents
-- of this target length that were recalled (n_graded is the same: each has a length), n_diarists, n_documents recalled
-- with this length; share, low and high (95%, bootstrap over diarists, because a diarist's documents are not
-- independent); chance: all lengths are equally likely.
-- Needs: scores
with diarists as (
    select cohort, target_sentences, list(recalled_sentences) as lengths
    from answers
    inner join documents using (generation_id)
    where fate in ('correct', 'wrong')
    group by cohort, target_sentences, example_id
),

-- Few different lists occur, so that all that follows has few rows.
lists as (
    select cohort, target_sentences, lengths, count(*) as diarists
    from diarists
    group by all
),

lengths as (
    select
        cohort, target_sentences, lengths, diarists,
        unnest(list_distinct(lengths)) as recalled_sentences
    from lists
),

-- the number of diarists with the same number of recalled documents, and of documents of this length
with_length as (
    select
        cohort, target_sentences, recalled_sentences, len(lengths) as recalled,
        len(list_filter(lengths, lambda length: length = recalled_sentences)) as documents,
        sum(diarists)::bigint as diarists
    from lengths
    group by all
),

cells as (
    select distinct cohort, target_sentences, recalled_sentences
    from with_length
),

diarists_by_recalled as (
    select cohort, target_sentences, recalled, (sum(diarists * documents) // recalled)::bigint as diarists
    from with_length
    group by cohort, target_sentences, recalled
),

-- the number of diarists with the same number of recalled documents, but none of this length
without_length as (
    select
        cohort, target_sentences, cells.recalled_sentences, recalled,
        0 as documents,
        diarists_by_recalled.diarists - coalesce(sum(with_length.diarists), 0)::bigint as diarists
    from cells
    inner join diarists_by_recalled using (cohort, target_sentences)
    left join with_length using (cohort, target_sentences, recalled_sentences, recalled)
    group by cohort, target_sentences, cells.recalled_sentences, recalled, diarists_by_recalled.diarists
    having diarists_by_recalled.diarists > coalesce(sum(with_length.diarists), 0)
),

counted as (
    select * from with_length
    union all by name
    select * from without_length
),

shares as (
    select
        cohort, target_sentences, recalled_sentences,
        sum(recalled * diarists)::bigint as n, sum(documents * diarists)::bigint as n_documents,
        resampled_share(
            list(
                { 'numerator': documents, 'denominator': recalled, 'clusters': diarists }
                order by recalled, documents
            )
        ) as share
    from counted
    group by all
)

select
    cohort, model_label, dataset_size, setup, target_sentences, recalled_sentences,
    n, n as n_graded, share.n_clusters as n_diarists, n_documents,
    share.share, share.low, share.high,
    1 / max_sentences as chance
from diary_cohorts
inner join shares using (cohort)
order by cohort, target_sentences, recalled_sentences
