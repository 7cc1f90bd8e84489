-- self_aware_accuracies: how many of the answerable questions each model answers rightly.
-- Grain: one row a cohort, model and form.
-- Columns: those; n replies to answerable questions, n_graded of them, n_pairs; accuracy (the answer stands in the
-- reply as whole words; a yes or no that could not be read is wrong) and substring_match (the paper's), each with low
-- and high (95%, bootstrap over pairs, whose answerable questions are no independent trials; of a share of exactly 0 or
-- 1 Wilson's over pairs, null for fewer than two); chance: of the questions with an answer the share for which the one
-- answer is right that is right most often.
create or replace view self_aware_accuracies as
with replies as (
    select distinct
        run_id,
        generation_id,
        cohort,
        model,
        form,
        example_id,
        pair_id,
        whole_word_match,
        substring_match
    from self_aware_replies
    where answerable
),

measured as (
    unpivot replies
    on whole_word_match as accuracy, substring_match
    into name measure value value
),

pairs as (
    select
        cohort,
        model,
        form,
        measure,
        pair_id,
        count(value) as graded,
        sum(value) as rightly
    from measured
    group by all
),

alike as (
    select
        cohort,
        model,
        form,
        measure,
        graded,
        rightly,
        count(*) as pairs
    from pairs
    group by all
),

shares as (
    select
        cohort,
        model,
        form,
        measure,
        sum(graded * pairs)::bigint as n_graded,
        sum(pairs)::bigint as n_pairs,
        sum(rightly * pairs) / nullif(sum(graded * pairs), 0) as share,
        resampling(
            list(rightly order by graded, rightly),
            list(graded order by graded, rightly),
            list(pairs order by graded, rightly)
        ) as resampling
    from alike
    group by all
),

quantiles as (
    select
        shares.cohort,
        shares.model,
        shares.form,
        shares.measure,
        quantile_cont(
            resampled_ratio(shares.resampling, bootstrap_draws.replicate, bootstrap_draws.draws), [0.025, 0.975]
        ) as ends
    from shares
    cross join bootstrap_draws
    group by shares.cohort, shares.model, shares.form, shares.measure
),

intervals as (
    select
        shares.cohort,
        shares.model,
        shares.form,
        shares.measure,
        shares.n_graded,
        shares.n_pairs,
        shares.share,
        bootstrap_low(quantiles.ends[1], shares.share, shares.n_pairs) as low,
        bootstrap_high(quantiles.ends[2], shares.share, shares.n_pairs) as high
    from shares
    inner join quantiles
        on
            shares.cohort = quantiles.cohort
            and shares.model = quantiles.model
            and shares.form = quantiles.form
            and shares.measure = quantiles.measure
),

asked as (
    select distinct
        replies.cohort,
        replies.model,
        replies.form,
        replies.example_id,
        questions.answers
    from replies
    inner join self_aware_questions as questions
        on replies.run_id = questions.run_id and replies.example_id = questions.id
    where len(questions.answers) > 0
),

given_answers as (
    select distinct
        cohort,
        model,
        form,
        example_id,
        unnest(list_transform(answers, lambda answer: lower(trim(answer)))) as answer
    from asked
),

answer_counts as (
    select
        cohort,
        model,
        form,
        answer,
        count(*) as questions
    from given_answers
    group by all
),

most_often as (
    select
        cohort,
        model,
        form,
        max(questions) as questions
    from answer_counts
    group by all
),

chances as (
    select
        asked.cohort,
        asked.model,
        asked.form,
        any_value(most_often.questions) / count(*) as chance
    from asked
    inner join most_often
        on asked.cohort = most_often.cohort and asked.model = most_often.model and asked.form = most_often.form
    group by asked.cohort, asked.model, asked.form
),

counts as (
    select
        cohort,
        model,
        form,
        count(*) as n
    from replies
    group by all
)

select
    counts.cohort,
    counts.model,
    counts.form,
    counts.n,
    coalesce(whole.n_graded, 0) as n_graded,
    whole.n_pairs,
    whole.share as accuracy,
    whole.low as accuracy_low,
    whole.high as accuracy_high,
    substring.share as substring_match,
    substring.low as substring_match_low,
    substring.high as substring_match_high,
    chances.chance
from counts
left join intervals as whole
    on
        counts.cohort = whole.cohort
        and counts.model = whole.model
        and counts.form = whole.form
        and whole.measure = 'accuracy'
left join intervals as substring
    on
        counts.cohort = substring.cohort
        and counts.model = substring.model
        and counts.form = substring.form
        and substring.measure = 'substring_match'
left join chances
    on counts.cohort = chances.cohort and counts.model = chances.model and counts.form = chances.form;
