-- How often is the whole answer right, by architecture, model size and dataset size?
-- Source: Prato et al., Figure 2
-- Grain: one row per cohort (a model, dataset size and setup).
-- Columns: those of `cohorts` without its maxima; n answers and n_graded of them (the others failed or have no score);
-- n_questions (the trials of Wilson's interval, because answers to one question are not independent); accuracy, low and
-- high (95%); accuracy_yes (right answers, of n_graded); chance: a model with right entries, but a random number of
-- them.
-- Needs: scores
select
    * exclude (max_documents, max_sentences, of_attributes),
    round(accuracy * n_graded)::bigint as accuracy_yes,
    1 / max_documents as chance
from cohort_accuracies
order by cohort
