-- Does a model answer its own new questions as well as those of the benchmark that they follow?
-- Source: Tan et al., Can I understand what I create?, Table 9
-- Grain: one row a benchmark, generator, verifier, wording and style.
-- Columns: dataset, config (of the benchmark); generator, verifier, wording, style; n_given questions of the benchmark,
-- n_given_graded (of which a letter could be read), initial (accuracy of the verifier, of those graded), initial_low
-- and initial_high (95%, Wilson), initial_null_as_wrong (of all); n new questions, n_graded, score (self-consistency,
-- of those graded), score_low, score_high, score_null_as_wrong; difference (score minus initial), difference_low and
-- difference_high (95%, Newcombe's of the two Wilson intervals), difference_null_as_wrong (of the two shares of all).
-- Needs: scores
with asked as (
    select
        calls.generation_id,
        runs.dataset,
        runs.config,
        concat_ws(' ', runs.content_hash, runs.dataset_revision, calls.example_id) as question,
        calls.model as verifier,
        split_part(calls.variant, '/', 2) as wording,
        regexp_extract(calls.example_id, '-([a-z]+)$', 1) as style
    from calls
    inner join runs on calls.run_id = runs.run_id
    where calls.task = 'self-knowledge' and calls.stage = 'answer'
),

-- A question that a model was asked more than once, in several runs or samples, counts once, with its mean.
questions as (
    select
        asked.dataset,
        asked.config,
        asked.verifier,
        asked.wording,
        asked.style,
        asked.question,
        avg(scores.value) as accuracy
    from asked
    left join scores on asked.generation_id = scores.generation_id and scores.metric = 'answer_correct'
    group by all
),

given as (
    select
        dataset,
        config,
        verifier,
        wording,
        style,
        share(accuracy) as initial,
        coalesce(sum(accuracy), 0) as n_right
    from questions
    group by all
),

new as (
    select
        runs.dataset,
        runs.config,
        replies.generator,
        replies.verifier,
        replies.wording,
        replies.style,
        share(replies.self_consistent) as score,
        coalesce(sum(replies.self_consistent), 0) as n_consistent
    from self_knowledge_replies as replies
    inner join runs on replies.run_id = runs.run_id
    where replies.task = 'benchmark' and replies.protocol = 'separate'
    group by all
),

shares as (
    select
        new.*,
        given.initial,
        given.n_right
    from new
    left join given
        on
            new.dataset = given.dataset
            and new.config = given.config
            and new.verifier = given.verifier
            and new.wording = given.wording
            and new.style = given.style
)

select
    dataset,
    config,
    generator,
    verifier,
    wording,
    style,
    initial.n as n_given,
    initial.n_graded as n_given_graded,
    initial.share as initial,
    initial.low as initial_low,
    initial.high as initial_high,
    n_right / initial.n as initial_null_as_wrong,
    score.n,
    score.n_graded,
    score.share as score,
    score.low as score_low,
    score.high as score_high,
    n_consistent / score.n as score_null_as_wrong,
    score.share - initial.share as difference,
    difference - sqrt((score.share - score.low) ** 2 + (initial.high - initial.share) ** 2) as difference_low,
    difference + sqrt((score.high - score.share) ** 2 + (initial.share - initial.low) ** 2) as difference_high,
    score_null_as_wrong - initial_null_as_wrong as difference_null_as_wrong
from shares
order by dataset, config, generator, verifier, wording, style
