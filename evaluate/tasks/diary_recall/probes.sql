-- How does a model continue an answer that starts out of order?
-- Source: Prato et al., section 4.3
-- Grain: one row per cohort and probe, A to E (see selfknow.evaluate.tasks.diary_recall.prompts).
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); probe; n continuations, n_graded, n_questions;
-- orderly (the share that goes on in order to the last document without an error), low and high (95%, Wilson);
-- next_document (the share whose first title is the next one in order), recalls_last, and mean_skipped documents;
-- chance: a model with right entries, but a random number of them.
-- Needs: scores
with shares as (
    select
        cohort, variant as probe,
        count(*) filter (where metric = 'probe_exact_match' or metric is null) as n,
        share(if(metric = 'probe_exact_match', value, null), repetition) as orderly,
        avg(value) filter (where metric = 'probe_next_document') as next_document,
        avg(value) filter (where metric = 'probe_recalls_last') as recalls_last,
        avg(value) filter (where metric = 'probe_documents_skipped') as mean_skipped
    from calls
    left join scores using (generation_id)
    where stage = 'probe' and task = 'diary-recall'
    group by all
)

select
    cohort, model_label, dataset_size, setup, probe, n, orderly.n_graded, orderly.n_questions,
    orderly.share as orderly, next_document, recalls_last, mean_skipped, orderly.low, orderly.high,
    1 / max_documents as chance
from diary_cohorts
inner join shares using (cohort)
order by cohort, probe
