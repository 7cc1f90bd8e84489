-- Does it abstain from questions that it would get wrong, as from those without an answer?
-- Source: ours; Yin et al., Do Large Language Models Know What They Don't Know?, measure only abstaining
-- Grain: one row per model, form except the direct one, scorer, encoder, threshold, references and knowledge.
-- Columns: model, form, scorer, encoder, threshold, references_name; knowledge of an answerable question, by its direct
-- answers: known (all right), unsure (some), unknown (none), not asked; n questions, n_graded (the scorer could
-- read a reply), n_samples (mean number of direct answers per question); abstains (share of the graded ones), low, high
-- (95%, Wilson over questions); n_pairs (questions whose unanswerable partner has a graded reply), partner_abstains
-- (share of these partners), difference (partner minus question, over the pairs), difference_low, difference_high (95%,
-- Agresti and Min's for matched pairs); chance_difference: 0, for a model that abstains at random.
-- Needs: scores
--
-- A reply is 1 if it abstains, and a question is the mean over its replies. A model that knows its limits abstains from
-- no known question and from every unknown one. `difference` shows if it also recognizes that a question has no answer.
with questions as (
    select setting, pair_id, example_id, answerable, avg(abstained) as abstains
    from self_aware_replies
    where form <> 'direct'
    group by all
),

with_partners as (
    select *, avg(abstains) filter (where not answerable) over (partition by setting, pair_id) as partner_abstains
    from questions
),

known as (
    select
        with_partners.*, n_samples,
        partner_abstains - abstains as change,
        case
            when share_right is null then 'not asked'
            when share_right = 1 then 'known'
            when share_right = 0 then 'unknown'
            else 'unsure'
        end as knowledge
    from with_partners
    left join self_aware_direct_answers as direct_answers
        on
            struct_update(with_partners.setting, form := 'direct') = direct_answers.setting
            and with_partners.example_id = direct_answers.example_id
    where answerable
),

totals as (
    select
        setting, knowledge,
        avg(n_samples) as n_samples, share(abstains) as abstaining,
        count(change) as n_pairs, avg(partner_abstains) filter (where change is not null) as partner_abstains,
        paired_difference(sum(change), sum(change * change), count(change)) as paired
    from known
    group by all
)

select
    setting.* exclude (cohort), knowledge,
    abstaining.n, abstaining.n_graded, n_samples,
    abstaining.share as abstains, abstaining.low, abstaining.high,
    n_pairs, partner_abstains, paired.*,
    0.0 as chance_difference
from totals
order by setting, list_position(['known', 'unsure', 'unknown', 'not asked'], knowledge)
