-- Does it abstain from questions that it gets wrong, as it does from those without an answer?
-- Source: ours; Yin et al., Do Large Language Models Know What They Don't Know?, measure only abstaining
-- Grain: one row a model, form but the direct one, scorer, encoder, threshold, references and knowledge.
-- Columns: those; knowledge of the answerable question, by the model's own direct answers to it: known (all of them
-- right), unsure (some), unknown (none), not asked; n questions, n_graded (the scorer could read a reply), n_samples
-- (direct answers a question, their mean); abstains (share of the graded ones), low, high (95%, Wilson over questions);
-- n_pairs (questions whose unanswerable partner has a graded reply), partner_abstains (share of these partners),
-- difference (partner less its question, over the pairs), difference_low, difference_high (95%, Agresti and Min's for
-- matched pairs); chance_difference: 0, for a model that abstains at random.
-- Needs: scores
--
-- A reply has the value 1 if it abstains, and a question has the mean over its replies. A model that knows its limits
-- abstains from no known question and from every unknown one. `difference` says whether it also sees that a question
-- has no answer.
with direct_answers as (
    select
        cohort,
        model,
        example_id,
        scorer,
        encoder,
        threshold,
        references_name,
        count(*) as n_samples,
        avg(coalesce(whole_word_match, 0) * (1 - coalesce(abstained, 0))) as share_right
    from self_aware_replies
    where form = 'direct' and answerable and not failed
    group by all
),

questions as (
    select
        cohort,
        model,
        form,
        scorer,
        encoder,
        threshold,
        references_name,
        pair_id,
        example_id,
        answerable,
        avg(abstained) as abstains
    from self_aware_replies
    where form <> 'direct'
    group by all
),

partners as (
    select
        cohort,
        model,
        form,
        scorer,
        encoder,
        threshold,
        references_name,
        pair_id,
        avg(abstains) as partner_abstains
    from questions
    where not answerable
    group by all
),

known as (
    select
        questions.*,
        direct_answers.n_samples,
        partners.partner_abstains,
        partners.partner_abstains - questions.abstains as change,
        case
            when direct_answers.share_right is null then 'not asked'
            when direct_answers.share_right = 1 then 'known'
            when direct_answers.share_right = 0 then 'unknown'
            else 'unsure'
        end as knowledge
    from questions
    left join direct_answers
        on
            questions.cohort = direct_answers.cohort
            and questions.model = direct_answers.model
            and questions.example_id = direct_answers.example_id
            and questions.scorer = direct_answers.scorer
            and questions.encoder is not distinct from direct_answers.encoder
            and questions.threshold is not distinct from direct_answers.threshold
            and questions.references_name is not distinct from direct_answers.references_name
    left join partners
        on
            questions.cohort = partners.cohort
            and questions.model = partners.model
            and questions.form = partners.form
            and questions.scorer = partners.scorer
            and questions.encoder is not distinct from partners.encoder
            and questions.threshold is not distinct from partners.threshold
            and questions.references_name is not distinct from partners.references_name
            and questions.pair_id = partners.pair_id
    where questions.answerable
),

totals as (
    select
        cohort,
        model,
        form,
        scorer,
        encoder,
        threshold,
        references_name,
        knowledge,
        avg(n_samples) as n_samples,
        share(abstains) as abstaining,
        count(change) as n_pairs,
        avg(partner_abstains) filter (where change is not null) as partner_abstains,
        paired_difference(sum(change), sum(change * change), count(change)) as paired
    from known
    group by all
)

select
    model,
    form,
    scorer,
    encoder,
    threshold,
    references_name,
    knowledge,
    abstaining.n,
    abstaining.n_graded,
    n_samples,
    abstaining.share as abstains,
    abstaining.low,
    abstaining.high,
    n_pairs,
    partner_abstains,
    paired.difference,
    paired.difference_low,
    paired.difference_high,
    0.0 as chance_difference
from totals
order by
    cohort,
    model,
    form,
    scorer,
    encoder,
    threshold,
    references_name,
    list_position(['known', 'unsure', 'unknown', 'not asked'], knowledge)
