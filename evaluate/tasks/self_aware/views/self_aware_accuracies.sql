-- self_aware_accuracies: the share of answerable questions that each model answers correctly.
-- Grain: one row per cohort, model and form.
-- Columns: cohort, model, form; n replies to answerable questions, n_graded of them, n_pairs; accuracy (the reply
-- contains the answer as whole words; a yes or no that could not be read is wrong) and substring_match (the paper's),
-- each with low and high (95%, bootstrap over pairs, because questions of a pair are not independent; Wilson's over
-- pairs for a share of exactly 0 or 1, null for fewer than two); chance: the share of questions with the most frequent
-- answer.
create or replace view self_aware_accuracies as
with replies as (
    select distinct
        run_id, generation_id, cohort, model, form, example_id, pair_id, whole_word_match, substring_match
    from self_aware_replies
    where answerable
),

pairs as (
    select
        cohort, model, form, pair_id,
        count(*) as n,
        count(whole_word_match) as n_whole, sum(whole_word_match) as whole,
        count(substring_match) as n_substring, sum(substring_match) as substring
    from replies
    group by all
),

shares as (
    select
        cohort, model, form,
        sum(n)::bigint as n, sum(n_whole)::bigint as n_graded,
        clustered_share(whole, nullif(n_whole, 0)) as whole,
        clustered_share(substring, nullif(n_substring, 0)) as substring
    from pairs
    group by all
),

asked as (
    select distinct cohort, model, form, example_id, answers
    from replies
    inner join self_aware_questions as questions
        on replies.run_id = questions.run_id and replies.example_id = questions.id
    where len(answers) > 0
),

given_answers as (
    select
        cohort, model, form, example_id,
        unnest(answers) as answer,
        count(*) over (partition by cohort, model, form) as n_asked
    from asked
),

answer_counts as (
    select cohort, model, form, n_asked, lower(trim(answer)) as answer, count(distinct example_id) as n_right
    from given_answers
    group by all
),

chances as (
    select cohort, model, form, max(n_right / n_asked) as chance
    from answer_counts
    group by all
)

select
    cohort, model, form, n, n_graded,
    nullif(whole.n_clusters, 0) as n_pairs,
    whole.share as accuracy, whole.low as accuracy_low, whole.high as accuracy_high,
    substring.share as substring_match, substring.low as substring_match_low, substring.high as substring_match_high,
    chance
from shares
left join chances using (cohort, model, form);
