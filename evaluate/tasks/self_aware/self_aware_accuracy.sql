-- How many of the answerable questions does it answer correctly?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, Figure 6
-- Grain: one row per model, question set and form.
-- Columns: model, question_set (the dataset's config), form; n replies to answerable questions, n_graded of them,
-- n_pairs; accuracy (the reply contains the answer as whole words; a yes or no that could not be read is wrong) and
-- substring_match (the paper's accuracy), each with low and high (95%, bootstrap over pairs; Wilson's over pairs for a
-- share of exactly 0 or 1); chance: always giving the most frequent answer.
-- Needs: scores
select
    model, question_set, form, n, n_graded, n_pairs,
    accuracy, accuracy_low, accuracy_high,
    substring_match, substring_match_low, substring_match_high,
    chance
from self_aware_accuracies
inner join cohorts using (cohort)
order by cohort, model, form
