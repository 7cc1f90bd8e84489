-- Does it know where to stop, after each entry of the true answer?
-- Source: not in the paper: teacher forcing, the end of the answer against the next title
-- (selfknow.evaluate.tasks.diary_recall.prompts)
-- Grain: one row per cohort, number of documents in the target and entry before the boundary.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); num_documents, after_entry, is_last; n boundaries,
-- n_graded, n_questions; stop_share (the share of boundaries at which ending is likelier than the next title: it should
-- be 1 after the last entry and 0 before), low and high (95%, Wilson: a question has one such boundary);
-- mean_stop_probability (of ending, if only ending and the next title are possible), mean_log_odds; chance: a model
-- that ends after a random entry.
-- Needs: scores
with boundaries as (
    select
        cohort, repetition, num_documents,
        regexp_extract(variant, '^after-([0-9]+)$', 1)::integer as after_entry,
        value as log_odds
    from calls
    inner join diary_questions on calls.run_id = diary_questions.run_id and calls.example_id = diary_questions.id
    left join scores on calls.generation_id = scores.generation_id and metric = 'stop_log_odds'
    where stage = 'stop' and task = 'diary-recall'
),

shares as (
    select
        cohort, num_documents, after_entry, after_entry = num_documents as is_last,
        share((log_odds > 0)::integer, repetition) as stopping,
        avg(1 / (1 + exp(-greatest(-700, log_odds)))) as mean_stop_probability,
        avg(log_odds) as mean_log_odds
    from boundaries
    group by all
)

select
    cohort, model_label, dataset_size, setup, num_documents, after_entry, is_last,
    stopping.n, stopping.n_graded, stopping.n_questions, stopping.share as stop_share,
    mean_stop_probability, mean_log_odds, stopping.low, stopping.high,
    1 / (max_documents - after_entry + 1) as chance
from diary_cohorts
inner join shares using (cohort)
order by cohort, num_documents, after_entry
