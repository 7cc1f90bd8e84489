-- What goes wrong: the number of documents, the content of the answer, or each single document?
-- Source: ours; Prato et al. grade whole answers (Figure 2) and recalled documents (Figure 7) separately
-- Grain: one row per cohort.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); n answers, n_graded; right_count and right_content
-- (no error as far as the answer goes), each with low and high (95%, Wilson over questions); n_documents in the targets
-- of scored answers, n_diarists; document_recall (the share of these documents that are in the answer without an error)
-- and found (the share that are in the answer, right or wrong), each with low and high (95%, bootstrap over diarists,
-- because a diarist's documents are not independent); document_recall_yes (documents recalled without an error);
-- expected_content (right content if errors in documents were independent: document_recall to the power of their
-- number); chance, of right_count: a random number of documents.
-- Needs: scores
with graded as (
    select
        cohort, model_label, dataset_size, setup, max_documents,
        count(distinct answers.generation_id) as n,
        share(if(metric = 'right_count', value, null), repetition) as right_count,
        share(if(metric = 'right_content', value, null), repetition) as right_content
    from answers
    left join scores
        on answers.generation_id = scores.generation_id and metric in ('right_count', 'right_content')
    group by all
),

diarists as (
    select
        cohort, example_id,
        count(*) as documents,
        count(*) filter (where fate <> 'missing') as found,
        count(*) filter (where fate = 'correct') as correct
    from answers
    inner join documents using (generation_id)
    where fate in ('correct', 'wrong', 'missing')
    group by all
),

grouped_diarists as (
    select
        cohort, sum(documents)::bigint as n_documents, sum(correct)::bigint as document_recall_yes,
        map_entries(histogram({ 'documents': documents, 'found': found, 'correct': correct })) as kinds
    from diarists
    group by cohort
),

recalled as (
    select
        cohort, n_documents, document_recall_yes,
        resampled_share(
            list_transform(
                kinds,
                lambda kind:
                { 'numerator': kind.key.correct, 'denominator': kind.key.documents, 'clusters': kind.value }
            )
        ) as recall,
        resampled_share(
            list_transform(
                kinds,
                lambda kind:
                { 'numerator': kind.key.found, 'denominator': kind.key.documents, 'clusters': kind.value }
            )
        ) as found
    from grouped_diarists
),

independent as (
    select cohort, avg(power(recall.share, documents)) as expected_content
    from diarists
    inner join recalled using (cohort)
    group by cohort
)

select
    cohort, model_label, dataset_size, setup, n, right_count.n_graded,
    right_count.share as right_count, right_count.low as right_count_low, right_count.high as right_count_high,
    right_content.share as right_content,
    right_content.low as right_content_low, right_content.high as right_content_high,
    coalesce(n_documents, 0) as n_documents, coalesce(recall.n_clusters, 0) as n_diarists,
    coalesce(document_recall_yes, 0) as document_recall_yes,
    recall.share as document_recall, recall.low as document_recall_low, recall.high as document_recall_high,
    found.share as found, found.low as found_low, found.high as found_high,
    expected_content,
    1 / max_documents as chance
from graded
left join recalled using (cohort)
left join independent using (cohort)
order by cohort
