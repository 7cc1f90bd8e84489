-- How many of the answerable questions does it answer correctly?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, Figure 6
-- Grain: one row per model, question set and form.
-- Columns: model, question_set (the config that was asked), form; n replies to answerable questions, n_graded of them,
-- n_pairs; accuracy (the answer stands in the reply as whole words; a yes or no that could not be read is wrong) and
-- substring_match (the paper's accuracy), each with low and high (95%, bootstrap over pairs; of a share of exactly 0 or
-- 1 Wilson's over pairs); chance: giving every question the one answer that is right most often.
-- Needs: scores
select
    model, question_set, form, n, n_graded, n_pairs,
    accuracy, accuracy_low, accuracy_high,
    substring_match, substring_match_low, substring_match_high,
    chance
from self_aware_accuracies
inner join cohorts using (cohort)
order by cohort, model, form
