-- Is a model better after tuning on its own mathematics, raw or corrected, or on another model's?
-- Source: Tan et al., Can I understand what I create?, Table 7; its rows of data `self` are Figure 3
-- Grain: one row a model that was tuned, the creations it was tuned on, their version, and the questions it was asked.
-- Columns: model, creator; data (self, cross); version (raw, corrected); n_tuned_on questions; dataset; of the model
-- before (initial) and after (tuned): n_… questions asked, n_…_graded, the accuracy (a reply without a number counts
-- as wrong), and its 95% interval (Wilson, over questions); n_pairs questions graded both
-- times, difference (tuned less initial, over the pairs), difference_low and difference_high (95%,
-- Agresti and Min's for matched pairs), n_gained and n_lost (now right, now wrong).
-- Needs: scores
--
-- Before and after are matched by model and revision, by the questions' dataset and its content, and by decoding. With
-- several samples a question's value is their mean, and the interval is the same over the questions' changes.
with asked as (
    select
        runs.tuned_model,
        runs.tuned_revision,
        runs.tuned_on,
        runs.tuned_version,
        runs.tuned_on_own,
        runs.num_tuned_on,
        runs.dataset,
        concat_ws(' ', runs.dataset, runs.content_hash, runs.dataset_revision, runs.decoding) as questions,
        calls.model,
        calls.revision,
        calls.example_id,
        count(*) as n,
        count(scores.value) as n_graded,
        avg(if(calls.error is null and scores.metric is not null, coalesce(scores.value, 0), null)) as accuracy
    from calls
    inner join runs on calls.run_id = runs.run_id
    left join scores on calls.generation_id = scores.generation_id and scores.metric = 'correct'
    where runs.task = 'gsm8k'
    group by all
),

before as (
    select
        questions,
        model,
        revision,
        example_id,
        accuracy
    from asked
    where tuned_model is null
),

after as (
    select * from asked
    where tuned_model is not null
),

initial as (
    select
        questions,
        model,
        revision,
        share(accuracy) as accuracy
    from before
    group by all
),

tuned as (
    select
        after.tuned_model,
        after.tuned_revision,
        after.tuned_on,
        after.tuned_on_own,
        after.tuned_version,
        after.num_tuned_on,
        after.dataset,
        after.questions,
        after.model,
        after.revision,
        share(after.accuracy) as accuracy,
        count(after.accuracy - before.accuracy) as n_pairs,
        sum(after.accuracy - before.accuracy) as change,
        sum(power(after.accuracy - before.accuracy, 2)) as squares,
        count(*) filter (where after.accuracy > before.accuracy) as n_gained,
        count(*) filter (where after.accuracy < before.accuracy) as n_lost
    from after
    left join before
        on
            after.tuned_model = before.model
            and after.tuned_revision is not distinct from before.revision
            and after.questions = before.questions
            and after.example_id = before.example_id
    group by all
),

adjusted as (
    select
        *,
        paired_difference(change, squares, n_pairs) as paired
    from tuned
)

select
    adjusted.tuned_model as model,
    adjusted.tuned_on as creator,
    if(adjusted.tuned_on_own, 'self', 'cross') as data,
    adjusted.tuned_version as version,
    adjusted.num_tuned_on as n_tuned_on,
    adjusted.dataset,
    initial.accuracy.n as n_initial,
    initial.accuracy.n_graded as n_initial_graded,
    initial.accuracy.share as initial,
    initial.accuracy.low as initial_low,
    initial.accuracy.high as initial_high,
    adjusted.accuracy.n as n_tuned,
    adjusted.accuracy.n_graded as n_tuned_graded,
    adjusted.accuracy.share as tuned,
    adjusted.accuracy.low as tuned_low,
    adjusted.accuracy.high as tuned_high,
    adjusted.n_pairs,
    adjusted.paired.difference,
    adjusted.paired.difference_low,
    adjusted.paired.difference_high,
    adjusted.n_gained,
    adjusted.n_lost
from adjusted
left join initial
    on
        adjusted.tuned_model = initial.model
        and adjusted.tuned_revision is not distinct from initial.revision
        and adjusted.questions = initial.questions
order by
    adjusted.tuned_model asc,
    adjusted.tuned_on_own desc,
    adjusted.tuned_on asc,
    adjusted.tuned_version desc,
    adjusted.dataset asc,
    adjusted.model asc,
    adjusted.revision asc
