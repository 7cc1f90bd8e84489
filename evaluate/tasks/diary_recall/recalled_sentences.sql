-- Does it recall as many sentences as there are?
-- Source: Prato et al., Figure 8, over the recalled documents that are in the target
-- Grain: one row a cohort, length of the target document and length recalled, in sentences.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); target_sentences, recalled_sentences; n documents
-- of this target length that were recalled (n_graded is the same: each has a length), n_diarists, n_documents with this
-- length recalled; share, low and high (95%, bootstrap over diarists, whose documents are no independent trials);
-- chance: all lengths are equally likely.
-- Needs: scores
with diarists as (
    select cohort, target_sentences, example_id, list_sort(list(recalled_sentences)) as lengths
    from answers
    inner join documents using (generation_id)
    where fate in ('correct', 'wrong')
    group by all
),

alike as (
    select cohort, target_sentences, lengths, count(*) as diarists
    from diarists
    group by all
),

cells as (
    select distinct cohort, target_sentences, unnest(lengths) as recalled_sentences
    from alike
),

-- every cell with every kind of diarist of its target length, those who recalled none of its length among them
counted as (
    select
        cohort, target_sentences, recalled_sentences,
        len(lengths) as recalled,
        len(list_filter(lengths, lambda length: length = recalled_sentences)) as documents,
        sum(diarists)::bigint as diarists
    from cells
    inner join alike using (cohort, target_sentences)
    group by all
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
