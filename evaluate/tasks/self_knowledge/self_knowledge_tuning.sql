-- Is a model better at mathematics after tuning on its own questions, raw or corrected, or on another model's?
-- Source: Tan et al., Can I understand what I create?, Table 7; its rows of data `self` are Figure 3
-- Grain: one row per tuned model, creations, version and test questions.
-- Columns: model, creator; data (self, cross); version (raw, corrected); n_tuned_on questions; dataset; for the model
-- before tuning (initial) and after (tuned): n_… test questions, n_…_graded, the accuracy (a reply without a number
-- counts as wrong), and its 95% interval (Wilson, over questions); n_pairs questions graded both times, difference
-- (tuned minus initial, over the pairs), difference_low and difference_high (95%, Agresti and Min's for matched pairs),
-- n_gained and n_lost (questions that turned right, and wrong).
-- Needs: scores
--
-- Runs before and after tuning are matched by model, revision, dataset, the dataset's content, and decoding. With
-- several samples, a question's value is their mean, and the interval is over the questions' changes.
with asked as (
    select
        tuned_model, tuned_revision, tuned_on, tuned_version, tuned_on_own, num_tuned_on, dataset,
        concat_ws(' ', dataset, content_hash, dataset_revision, runs.decoding) as questions,
        model, revision, example_id,
        avg(if(error is null and metric is not null, coalesce(value, 0), null)) as accuracy
    from calls
    inner join runs using (run_id)
    left join scores on calls.generation_id = scores.generation_id and metric = 'correct'
    where runs.task = 'gsm8k'
    group by all
),

-- The model before tuning, on the same questions.
before as (
    select
        { 'model': model, 'revision': revision, 'questions': questions } as origin,
        example_id, accuracy
    from asked
    where tuned_model is null
),

after as (
    select
        *,
        { 'model': tuned_model, 'revision': tuned_revision, 'questions': questions } as origin
    from asked
    where tuned_model is not null
),

initial as (
    select
        origin,
        share(accuracy) as initial
    from before
    group by all
),

changes as (
    select
        after.*,
        after.accuracy - before.accuracy as change
    from after
    left join before using (origin, example_id)
),

tuned as (
    select
        origin, tuned_on, tuned_on_own, tuned_version, num_tuned_on, dataset, model, revision,
        share(accuracy) as tuned,
        count(change) as n_pairs,
        paired_difference(sum(change), sum(change * change), count(change)) as paired,
        count(*) filter (where change > 0) as n_gained,
        count(*) filter (where change < 0) as n_lost
    from changes
    group by all
)

select
    origin.model, tuned_on as creator, if(tuned_on_own, 'self', 'cross') as data, tuned_version as version,
    num_tuned_on as n_tuned_on, dataset,
    initial.n as n_initial, initial.n_graded as n_initial_graded,
    initial.share as initial, initial.low as initial_low, initial.high as initial_high,
    tuned.n as n_tuned, tuned.n_graded as n_tuned_graded,
    tuned.share as tuned, tuned.low as tuned_low, tuned.high as tuned_high,
    n_pairs, unnest(paired), n_gained, n_lost
from tuned
left join initial using (origin)
order by
    origin.model asc, tuned_on_own desc, tuned_on asc, tuned_version desc, dataset asc, tuned.model asc, revision asc
