-- How does a model continue an answer that starts out of order?
-- Source: Prato et al., section 4.3
-- Grain: one row a cohort and probe, A to E (selfknow.evaluate.tasks.diary_recall.prompts says what is given).
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); probe; n continuations, n_graded, n_questions;
-- orderly (the share that goes on in order to the last document without an error), low and high (95%, Wilson);
-- next_document (the share whose first title is the one that comes next), recalls_last, and mean_skipped documents;
-- chance: right entries, but a random number of them.
-- Needs: scores
with shares as (
    select
        calls.cohort,
        calls.variant as probe,
        count(*) filter (where scores.metric = 'probe_exact_match' or scores.metric is null) as n,
        share(if(scores.metric = 'probe_exact_match', scores.value, null), calls.repetition) as orderly,
        avg(scores.value) filter (where scores.metric = 'probe_next_document') as next_document,
        avg(scores.value) filter (where scores.metric = 'probe_recalls_last') as recalls_last,
        avg(scores.value) filter (where scores.metric = 'probe_documents_skipped') as mean_skipped
    from calls
    left join scores on calls.generation_id = scores.generation_id
    where calls.stage = 'probe' and calls.task = 'diary-recall'
    group by calls.cohort, calls.variant
)

select
    diary_cohorts.cohort,
    diary_cohorts.model_label,
    diary_cohorts.dataset_size,
    diary_cohorts.setup,
    shares.probe,
    shares.n,
    shares.orderly.n_graded,
    shares.orderly.n_questions,
    shares.orderly.share as orderly,
    shares.next_document,
    shares.recalls_last,
    shares.mean_skipped,
    shares.orderly.low,
    shares.orderly.high,
    1 / diary_cohorts.max_documents as chance
from diary_cohorts
inner join shares on diary_cohorts.cohort = shares.cohort
order by diary_cohorts.cohort, shares.probe
