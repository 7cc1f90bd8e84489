-- What would other thresholds give?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, Table 2 (the threshold ablation)
-- Grain: one row a model, form, scorer with an encoder, encoder, references and threshold: 0.65 to 0.95, and the one
-- that the run was scored with.
-- Columns: those, and whether the threshold is the one that the run was scored with; n_graded; f1, precision and recall
-- of abstaining against whether there is an answer, false_abstention; n_labelled, and f1_of_labels: against people's
-- judgement of the replies (the metric hand_abstained, if there is one); chance_f1: always abstaining.
-- Needs: scores
with thresholds as (
    select (numbers.number * 5 / 100)::double as threshold
    from range(13, 20) as numbers (number)
    union distinct
    select distinct threshold
    from self_aware_replies
    where threshold is not null
),

labels as (
    select
        generation_id,
        max(value) as label
    from scores
    where metric = 'hand_abstained'
    group by generation_id
),

judged as (
    select
        replies.cohort,
        replies.model,
        replies.form,
        replies.scorer,
        replies.encoder,
        replies.references_name,
        thresholds.threshold,
        abs(replies.threshold - thresholds.threshold) < 1e-9 as is_the_runs,
        replies.answerable,
        labels.label,
        coalesce(replies.phrase_found = 1 or replies.max_similarity > thresholds.threshold, false) as abstains
    from self_aware_replies as replies
    cross join thresholds
    left join labels on replies.generation_id = labels.generation_id
    where
        replies.abstained is not null
        and replies.threshold is not null
        and (
            thresholds.threshold = replies.threshold
            or (thresholds.threshold > 0.64 and round(thresholds.threshold * 20, 6) % 1 = 0)
        )
)

select
    model,
    form,
    scorer,
    encoder,
    references_name,
    threshold,
    bool_or(is_the_runs) as is_the_runs,
    count(*) as n_graded,
    2 * count(*) filter (where abstains and not answerable)
    / nullif(count(*) filter (where abstains) + count(*) filter (where not answerable), 0) as f1,
    count(*) filter (where abstains and not answerable) / nullif(count(*) filter (where abstains), 0) as precision,
    count(*) filter (where abstains and not answerable) / nullif(count(*) filter (where not answerable), 0) as recall,
    count(*) filter (where abstains and answerable) / nullif(count(*) filter (where answerable), 0)
        as false_abstention,
    count(label) as n_labelled,
    2 * count(*) filter (where abstains and label = 1)
    / nullif(count(*) filter (where abstains and label is not null) + count(*) filter (where label = 1), 0)
        as f1_of_labels,
    2 * count(*) filter (where not answerable) / nullif(count(*) + count(*) filter (where not answerable), 0)
        as chance_f1
from judged
group by cohort, model, form, scorer, encoder, references_name, threshold
order by cohort, model, form, scorer, encoder, references_name, threshold
