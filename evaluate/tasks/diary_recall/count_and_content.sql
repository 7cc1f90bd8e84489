-- What goes wrong: the number of documents, or their content?
-- Source: ours, after Prato et al., section 4.4; exact match is right count times right content
-- Grain: one row per cohort.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); n answers, n_graded, n_questions; exact_match,
-- right_count and right_content (no error as far as the answer goes), each with low and high (95%, Wilson);
-- right_count_yes (answers with the right count) of right_count_of; right_count_given_right_content; if_independent
-- (exact match if errors in count and content were independent); chance, of exact_match and of right_count: a random
-- number of documents.
-- Needs: scores
with shares as (
    select
        cohort, model_label, dataset_size, setup, max_documents,
        count(*) filter (where metric = 'exact_match' or metric is null) as n,
        share(if(metric = 'exact_match', value, null), repetition) as exact_match,
        share(if(metric = 'right_count', value, null), repetition) as right_count,
        share(if(metric = 'right_content', value, null), repetition) as right_content
    from answers
    left join scores
        on
            answers.generation_id = scores.generation_id
            and metric in ('exact_match', 'right_count', 'right_content')
    group by all
)

select
    cohort, model_label, dataset_size, setup, n, exact_match.n_graded, exact_match.n_questions,
    exact_match.share as exact_match, exact_match.low as exact_match_low, exact_match.high as exact_match_high,
    round(right_count.share * right_count.n_graded)::bigint as right_count_yes, right_count.n_graded as right_count_of,
    right_count.share as right_count, right_count.low as right_count_low, right_count.high as right_count_high,
    right_content.share as right_content,
    right_content.low as right_content_low, right_content.high as right_content_high,
    exact_match.share / nullif(right_content.share, 0) as right_count_given_right_content,
    right_count.share * right_content.share as if_independent,
    1 / max_documents as chance
from shares
order by cohort
