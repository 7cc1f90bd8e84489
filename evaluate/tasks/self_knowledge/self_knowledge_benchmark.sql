-- Does a model answer its own new questions as well as the benchmark's questions that they imitate?
-- Source: Tan et al., Can I understand what I create?, Table 9
-- Grain: one row per benchmark, generator, verifier, wording and style.
-- Columns: dataset, config (of the benchmark); generator, verifier, wording, style; n_given questions of the benchmark,
-- n_given_graded (replies with a readable letter), initial (the verifier's accuracy over those graded), initial_low and
-- initial_high (95%, Wilson), initial_null_as_wrong (over all); n new questions, n_graded, score (self-consistency over
-- those graded), score_low, score_high, score_null_as_wrong; difference (score minus initial), difference_low and
-- difference_high (95%, Newcombe's from the two Wilson intervals), difference_null_as_wrong (over all questions).
-- Needs: scores
with questions as ( -- a question that was asked several times, in runs or samples, counts once, with its mean
    select
        dataset, config,
        model as verifier,
        split_part(variant, '/', 2) as wording,
        regexp_extract(example_id, '-([a-z]+)$', 1) as style,
        concat_ws(' ', content_hash, dataset_revision, example_id) as question,
        avg(scores.value) as accuracy
    from calls
    inner join runs using (run_id)
    left join scores on calls.generation_id = scores.generation_id and scores.metric = 'answer_correct'
    where calls.task = 'self-knowledge' and stage = 'answer'
    group by all
),

given as (
    select
        dataset, config, verifier, wording, style,
        share(accuracy) as initial,
        avg(coalesce(accuracy, 0)) as initial_null_as_wrong
    from questions
    group by all
),

new as (
    select
        dataset, config, generator, verifier, wording, style,
        share(self_consistent) as score,
        avg(coalesce(self_consistent, 0)) as score_null_as_wrong
    from self_knowledge_replies as replies
    inner join runs using (run_id)
    where replies.task = 'benchmark' and protocol = 'separate'
    group by all
)

select
    dataset, config, generator, verifier, wording, style,
    initial.n as n_given, initial.n_graded as n_given_graded,
    initial.share as initial, initial.low as initial_low, initial.high as initial_high, initial_null_as_wrong,
    score.n, score.n_graded,
    score.share as score, score.low as score_low, score.high as score_high, score_null_as_wrong,
    score.share - initial.share as difference,
    difference - sqrt((score.share - score.low) ** 2 + (initial.high - initial.share) ** 2) as difference_low,
    difference + sqrt((score.high - score.share) ** 2 + (initial.share - initial.low) ** 2) as difference_high,
    score_null_as_wrong - initial_null_as_wrong as difference_null_as_wrong
from new
left join given using (dataset, config, verifier, wording, style)
order by dataset, config, generator, verifier, wording, style
