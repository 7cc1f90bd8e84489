-- What does each prompt change, compared with the null prompt on the same questions?
-- Source: Weller et al., "According to ...", Table 2
-- Grain: one row per run, model, metric and prompt except the null prompt.
-- Columns: dataset, model_label, num_parameters, run_id, metric, prompt, kind; n questions, n_pairs those with a value
-- under both prompts, share_unscored the rest; null_score, score (means over the pairs); difference, difference_low,
-- difference_high; relative_change (difference / null_score), relative_low, relative_high (95%, paired bootstrap over
-- questions, 1,000 replicates; null if the null prompt's score is not above 0); p_value (paired sign flips, two-sided),
-- p_holm (corrected for all prompts of the run, model and metric: eleven if all were asked).
-- Needs: scores
--
-- Replicates and flips are those of the view `according_to_draws`, the same for all prompts and models; Holm's
-- correction steps up through the prompts that could be tested.
with ranked as (
    select
        *,
        p_value * (count(p_value) over of_prompts + 1 - row_number() over by_p_value) as stepped
    from according_to_differences
    window
        of_prompts as (partition by run_id, model, revision, metric),
        by_p_value as (partition by run_id, model, revision, metric order by p_value, prompt)
)

select
    dataset, model_label, num_parameters, run_id, metric, prompt, kind, n, n_pairs,
    1 - n_pairs / n as share_unscored,
    null_score, score, difference, difference_low, difference_high, relative_change, relative_low, relative_high,
    p_value,
    if(p_value is null, null, least(1, max(stepped) over by_p_value)) as p_holm
from ranked
window by_p_value as (partition by run_id, model, revision, metric order by p_value, prompt)
order by dataset, model_label, run_id, metric, place
