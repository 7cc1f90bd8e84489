-- What is F1 at other thresholds?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, Table 2 (the threshold ablation)
-- Grain: one row per model, form, scorer with an encoder, encoder, references and threshold: 0.65 to 0.95, and the
-- run's own.
-- Columns: model, form, scorer, encoder, references_name, threshold, is_the_runs (true for the run's own threshold);
-- n_graded; f1, precision and recall of abstaining from unanswerable questions, false_abstention; n_labelled, and
-- f1_of_labels: against people's judgement of the replies (the metric hand_abstained, if there is one); chance_f1:
-- always abstaining.
-- Needs: scores
with thresholds as (
    select (number * 5 / 100)::double as threshold
    from range(13, 20) as numbers (number)
    union distinct
    select distinct threshold
    from self_aware_replies
    where threshold is not null
),

labels as (
    select generation_id, max(value) as label
    from scores
    where metric = 'hand_abstained'
    group by generation_id
),

judged as (
    select
        replies.* exclude (threshold),
        thresholds.threshold,
        abs(replies.threshold - thresholds.threshold) < 1e-9 as is_the_runs,
        label,
        coalesce(phrase_found = 1 or max_similarity > thresholds.threshold, false) as abstains
    from self_aware_replies as replies
    cross join thresholds
    left join labels using (generation_id)
    where
        abstained is not null and replies.threshold is not null
        and (
            thresholds.threshold = replies.threshold
            or (thresholds.threshold > 0.64 and round(thresholds.threshold * 20, 6) % 1 = 0)
        )
),

counts as (
    select
        cohort, model, form, scorer, encoder, references_name, threshold,
        bool_or(is_the_runs) as is_the_runs,
        count(*) as n_graded,
        count(*) filter (where not answerable) as n_unanswerable,
        count(*) filter (where abstains) as abstained,
        count(*) filter (where abstains and not answerable) as true_positives,
        count(label) as n_labelled,
        count(*) filter (where label = 1) as n_labelled_abstaining,
        count(*) filter (where abstains and label is not null) as abstained_labelled,
        count(*) filter (where abstains and label = 1) as true_positives_labelled
    from judged
    group by all
)

select
    model, form, scorer, encoder, references_name, threshold, is_the_runs, n_graded,
    f1(true_positives, abstained, n_unanswerable) as f1,
    true_positives / nullif(abstained, 0) as precision,
    true_positives / nullif(n_unanswerable, 0) as recall,
    (abstained - true_positives) / nullif(n_graded - n_unanswerable, 0) as false_abstention,
    n_labelled,
    f1(true_positives_labelled, abstained_labelled, n_labelled_abstaining) as f1_of_labels,
    f1(n_unanswerable, n_graded, n_unanswerable) as chance_f1
from counts
order by cohort, model, form, scorer, encoder, references_name, threshold
