-- Which kinds of unanswerable questions does it recognize?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, Table 1; the contrast is ours
-- Grain: one row per model, form, scorer, encoder, threshold, references and category.
-- Columns: model, form, scorer, encoder, threshold, references_name, category; n replies, n_graded (the scorer counts
-- them), n_unanswerable of the category and n_partners (answerable questions of the same pairs), both graded; recall
-- with low and high (95%, Wilson: questions of one category share no pair); f1 against the partners; chance_f1: always
-- abstaining.
-- Needs: scores
with categories as (
    select distinct run_id, pair_id, category
    from self_aware_replies
    where not answerable and category is not null
),

counts as (
    select
        setting, categories.category,
        count(*) as n, count(abstained) as n_graded,
        count(abstained) filter (where not answerable) as n_unanswerable,
        count(abstained) filter (where answerable) as n_partners,
        count(*) filter (where abstained = 1 and not answerable) as true_positives,
        count(*) filter (where abstained = 1) as abstained
    from self_aware_replies
    inner join categories using (run_id, pair_id)
    group by all
)

select
    setting.* exclude (cohort), category,
    n, n_graded, n_unanswerable, n_partners,
    true_positives / nullif(n_unanswerable, 0) as recall,
    wilson_low(true_positives, n_unanswerable) as recall_low,
    wilson_high(true_positives, n_unanswerable) as recall_high,
    f1(true_positives, abstained, n_unanswerable) as f1,
    f1(n_unanswerable, n_unanswerable + n_partners, n_unanswerable) as chance_f1
from counts
order by setting, category
