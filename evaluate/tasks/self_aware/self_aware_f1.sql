-- How well does it abstain from unanswerable questions, and only from those?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, Figures 2 to 5
-- Grain: one row per model, form, scorer, encoder, threshold and references.
-- Columns: model, form, question_set (the dataset's config), scorer, encoder, threshold, references_name; n replies,
-- n_graded (the scorer counts them), n_unanswerable and n_answerable of them; f1, precision and recall of abstaining,
-- false_abstention (the share of answerable questions not answered), each with low and high (95%, bootstrap over pairs
-- within strata of labels; null for fewer than two pairs; Wilson's over pairs for a rate of exactly 0 or 1; f1_high of
-- an F1 of 0 is that of a precise model with Wilson's recall); chance_f1: always abstaining; substring_match: the
-- paper's accuracy, over all answerable questions; accuracy: the share of them with the answer in the reply as whole
-- words (a yes or no that could not be read is wrong); is_human: volunteers, not a model.
-- Needs: scores
select
    model, form, question_set, scorer, encoder, threshold, references_name,
    n, n_graded, n_unanswerable, n_answerable,
    f1, f1_low, f1_high, chance_f1,
    precision, precision_low, precision_high,
    recall, recall_low, recall_high,
    false_abstention, false_abstention_low, false_abstention_high,
    substring_match, accuracy, is_human
from self_aware_rates
order by setting
