-- What goes wrong: the number of documents, the content of the answer, or each single document?
-- Source: ours; Prato et al. grade whole answers (Figure 2) and recalled documents (Figure 7) apart
-- Grain: one row a cohort.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); n answers, n_graded; right_count and right_content
-- (no error as far as it goes), each with low and high (95%, Wilson over questions); n_documents in the targets of
-- scored answers, n_diarists; document_recall: the share of these that is in the answer without an error, found: that
-- is there at all, right or wrong, each with low and high (95%, bootstrap over diarists, whose documents are no
-- independent trials); expected_content: the documents' recall to the power of their number, what right content would
-- be if they went wrong independently; chance, of right_count: a random number.
-- Needs: scores
with graded as (
    select
        answers.cohort,
        answers.model_label,
        answers.dataset_size,
        answers.setup,
        answers.max_documents,
        count(distinct answers.generation_id) as n,
        share(if(scores.metric = 'right_count', scores.value, null), answers.repetition) as right_count,
        share(if(scores.metric = 'right_content', scores.value, null), answers.repetition) as right_content
    from answers
    left join scores
        on answers.generation_id = scores.generation_id and scores.metric in ('right_count', 'right_content')
    group by all
),

diarists as (
    select
        answers.cohort,
        answers.example_id,
        count(*) as documents,
        count(*) filter (where documents.fate <> 'missing') as found,
        count(*) filter (where documents.fate = 'correct') as correct
    from answers
    inner join documents on answers.generation_id = documents.generation_id
    where documents.fate in ('correct', 'wrong', 'missing')
    group by all
),

alike as (
    select
        cohort,
        documents,
        found,
        correct,
        count(*) as diarists
    from diarists
    group by all
),

recalled as (
    select
        cohort,
        sum(documents * diarists)::bigint as n_documents,
        sum(diarists)::bigint as n_diarists,
        sum(correct * diarists) / sum(documents * diarists) as document_recall,
        sum(found * diarists) / sum(documents * diarists) as found,
        resampling(
            list(correct order by documents, found, correct),
            list(documents order by documents, found, correct),
            list(diarists order by documents, found, correct)
        ) as resampled_recall,
        resampling(
            list(found order by documents, found, correct),
            list(documents order by documents, found, correct),
            list(diarists order by documents, found, correct)
        ) as resampled_found
    from alike
    group by cohort
),

quantiles as (
    select
        recalled.cohort,
        quantile_cont(
            resampled_ratio(recalled.resampled_recall, bootstrap_draws.replicate, bootstrap_draws.draws),
            [0.025, 0.975]
        ) as recall_ends,
        quantile_cont(
            resampled_ratio(recalled.resampled_found, bootstrap_draws.replicate, bootstrap_draws.draws),
            [0.025, 0.975]
        ) as found_ends
    from recalled
    cross join bootstrap_draws
    group by recalled.cohort
),

independent as (
    select
        diarists.cohort,
        avg(power(recalled.document_recall, diarists.documents)) as expected_content
    from diarists
    inner join recalled on diarists.cohort = recalled.cohort
    group by diarists.cohort
)

select
    graded.cohort,
    graded.model_label,
    graded.dataset_size,
    graded.setup,
    graded.n,
    graded.right_count.n_graded,
    graded.right_count.share as right_count,
    graded.right_count.low as right_count_low,
    graded.right_count.high as right_count_high,
    graded.right_content.share as right_content,
    graded.right_content.low as right_content_low,
    graded.right_content.high as right_content_high,
    coalesce(recalled.n_documents, 0) as n_documents,
    coalesce(recalled.n_diarists, 0) as n_diarists,
    recalled.document_recall,
    bootstrap_low(quantiles.recall_ends[1], recalled.document_recall, recalled.n_diarists) as document_recall_low,
    bootstrap_high(quantiles.recall_ends[2], recalled.document_recall, recalled.n_diarists) as document_recall_high,
    recalled.found,
    bootstrap_low(quantiles.found_ends[1], recalled.found, recalled.n_diarists) as found_low,
    bootstrap_high(quantiles.found_ends[2], recalled.found, recalled.n_diarists) as found_high,
    independent.expected_content,
    1 / graded.max_documents as chance
from graded
left join recalled on graded.cohort = recalled.cohort
left join quantiles on graded.cohort = quantiles.cohort
left join independent on graded.cohort = independent.cohort
order by graded.cohort
