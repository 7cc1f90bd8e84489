-- How much does a model quote under each prompt, and how well does it answer?
-- Source: Weller et al., "According to ...", Table 1 and Appendix A
-- Grain: one row per run, model, metric and prompt.
-- Columns: dataset, model_label, num_parameters, run_id, format, placement, metric, prompt, kind; n questions, n_graded
-- those with a value; score (macro mean over those), score_low, score_high (95%: Wilson's for exact_match,
-- whole_word_match and has_explanation, which are shares of questions; else a bootstrap over questions, 1,000
-- replicates, Wilson's if a score is exactly 0 or 1, null for fewer than two questions); share_unscored.
-- Needs: scores
select
    dataset, model_label, num_parameters, run_id, format, placement, metric, prompt, kind, n, n_graded,
    score, score_low, score_high, share_unscored
from according_to_scores
order by dataset, model_label, num_parameters, run_id, metric, place
