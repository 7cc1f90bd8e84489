-- Does it recall too many documents or too few?
-- Source: ours, after Prato et al., Figures 5 and 6; the two errors are counted separately
-- Grain: one row per cohort and kind of count: over (more documents than the target has), right, under.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); recall; n answers, n_graded, n_questions;
-- n_answers of this kind, share of n_graded, low and high (95%, Wilson); mean_off (the mean number of documents too
-- many or too few in the answers of this kind); chance: target and recalled number are both random, up to the highest
-- number.
-- Needs: scores
with counted as (
    select answers.*, value - num_documents as off
    from answers
    inner join diary_questions on answers.run_id = diary_questions.run_id and answers.example_id = diary_questions.id
    left join scores on answers.generation_id = scores.generation_id and metric = 'documents_recalled'
),

kinds (recall, direction) as (
    values ('over', 1), ('right', 0), ('under', -1)
),

shares as (
    select
        cohort, model_label, dataset_size, setup, max_documents, recall,
        share((sign(off) = direction)::integer, repetition) as share,
        count(*) filter (where sign(off) = direction) as n_answers,
        avg(off) filter (where off <> 0 and sign(off) = direction) as mean_off
    from counted
    cross join kinds
    group by all
)

select
    cohort, model_label, dataset_size, setup, recall,
    share.n, share.n_graded, share.n_questions, n_answers,
    share.share, share.low, share.high, mean_off,
    if(recall = 'right', 1 / max_documents, (1 - 1 / max_documents) / 2) as chance
from shares
order by cohort, recall
