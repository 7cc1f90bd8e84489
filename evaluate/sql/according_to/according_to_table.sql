-- How much does a model quote under each prompt, and how well does it answer?
-- Source: Weller et al., "According to ...", Table 1 and Appendix A
-- Grain: one row a dataset, model, format, placement, metric and prompt.
-- Columns: dataset, model_label, num_parameters, format, placement, metric, prompt, kind; n questions, n_graded those
-- with a value; score (macro mean over those), share_unscored.
-- Needs: scores
select
    dataset,
    model_label,
    num_parameters,
    format,
    placement,
    metric,
    prompt,
    kind,
    count(*) as n,
    count(value) as n_graded,
    avg(value) as score,
    1 - count(value) / count(*) as share_unscored
from according_to_replies
group by all
order by dataset, model_label, num_parameters, format, placement, metric, min(place)
