-- What does it know, and does it know that it knows?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, Figure 1 (the Know-Unknow quadrant)
-- Grain: one row a model, form, scorer, encoder, threshold, references and quadrant.
-- Columns: those; n replies in the quadrant, n_graded (all that are in one), share; n_not_sampled: replies that abstain
-- from an answerable question that the model was never asked directly (they are in no quadrant); chance_share: of a
-- model that always abstains. A question's answer is known if at least half of the model's replies in the form direct
-- are right. If the model was never asked directly, answering counts as knowing.
-- known knows: it answers, and knows the answer; unknown knows: it abstains, but knows it;
-- known unknows: it abstains, and does not know it or there is none; unknown unknows: it answers, but does not know.
-- Needs: scores
with direct_answers as (
    select
        cohort,
        model,
        example_id,
        scorer,
        encoder,
        threshold,
        references_name,
        avg(coalesce(whole_word_match, 0) * (1 - coalesce(abstained, 0))) as share_right
    from self_aware_replies
    where form = 'direct' and answerable and not failed
    group by all
),

known as (
    select
        replies.*,
        case
            when not replies.answerable then false
            when direct_answers.share_right is not null then direct_answers.share_right >= 0.5
            when replies.abstained = 0 then coalesce(replies.whole_word_match, 0) = 1
        end as is_known
    from self_aware_replies as replies
    left join direct_answers
        on
            replies.cohort = direct_answers.cohort
            and replies.model = direct_answers.model
            and replies.example_id = direct_answers.example_id
            and replies.scorer = direct_answers.scorer
            and replies.encoder is not distinct from direct_answers.encoder
            and replies.threshold is not distinct from direct_answers.threshold
            and replies.references_name is not distinct from direct_answers.references_name
    where replies.abstained is not null
),

placed as (
    select
        *,
        case
            when is_known is null then null
            when abstained = 1 and is_known then 'unknown knows'
            when abstained = 1 then 'known unknows'
            when is_known then 'known knows'
            else 'unknown unknows'
        end as quadrant
    from known
),

quadrants (place, quadrant) as (
    values (1, 'known knows'), (2, 'known unknows'), (3, 'unknown knows'), (4, 'unknown unknows')
),

settings as (
    select
        cohort,
        model,
        form,
        scorer,
        encoder,
        threshold,
        references_name,
        count(quadrant) as n_graded,
        count(*) - count(quadrant) as n_not_sampled,
        avg((is_known)::integer) filter (where quadrant is not null) as is_known,
        histogram(quadrant) filter (where quadrant is not null) as counts
    from placed
    group by all
)

select
    settings.model,
    settings.form,
    settings.scorer,
    settings.encoder,
    settings.threshold,
    settings.references_name,
    quadrants.quadrant,
    coalesce(settings.counts[quadrants.quadrant], 0)::bigint as n,
    settings.n_graded,
    settings.n_not_sampled,
    coalesce(settings.counts[quadrants.quadrant], 0) / nullif(settings.n_graded, 0) as share,
    case quadrants.quadrant
        when 'unknown knows' then settings.is_known
        when 'known unknows' then 1 - settings.is_known
        else 0
    end as chance_share
from settings
cross join quadrants
order by
    settings.cohort,
    settings.model,
    settings.form,
    settings.scorer,
    settings.encoder,
    settings.references_name,
    quadrants.place
