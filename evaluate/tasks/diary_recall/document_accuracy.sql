-- Do longer documents have more errors?
-- Source: Prato et al., Figure 7: of the recalled documents that are in the target, the share without an error
-- Grain: one row per cohort and length of the target document in sentences.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); target_sentences; n documents of this length in
-- the targets of scored answers, n_graded of them (those that were recalled), n_diarists; document_accuracy, low and
-- high (95%, bootstrap over diarists, because a diarist's documents are not independent); chance: a random body of the
-- right length (k of 8 attributes in order, each with one of 2 values; null for a corpus of your own).
-- Needs: scores
with diarists as (
    select
        cohort, target_sentences, example_id,
        count(*) as documents,
        count(*) filter (where fate <> 'missing') as recalled,
        count(*) filter (where fate = 'correct') as correct
    from answers
    inner join documents using (generation_id)
    where fate in ('correct', 'wrong', 'missing')
    group by all
),

shares as (
    select
        cohort, target_sentences,
        sum(documents)::bigint as n, sum(recalled)::bigint as n_graded,
        clustered_share(correct, nullif(recalled, 0)) as of_recalled
    from diarists
    group by all
)

select
    cohort, model_label, dataset_size, setup, target_sentences, n, n_graded,
    of_recalled.n_clusters as n_diarists,
    of_recalled.share as document_accuracy, of_recalled.low, of_recalled.high,
    case
        when of_attributes and target_sentences between 1 and 8
            then factorial(8 - target_sentences) / factorial(8) / power(2, target_sentences)
    end as chance
from diary_cohorts
inner join shares using (cohort)
order by cohort, target_sentences
