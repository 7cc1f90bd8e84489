-- What does it know, and does it know that it knows?
-- Source: Yin et al., Do Large Language Models Know What They Don't Know?, Figure 1 (the Know-Unknow quadrant)
-- Grain: one row per model, form, scorer, encoder, threshold, references and quadrant.
-- Columns: model, form, scorer, encoder, threshold, references_name, quadrant; n replies in the quadrant, n_graded
-- (replies in any quadrant), share; n_not_sampled (replies that abstain from an answerable question without direct
-- answers; they are in no quadrant); chance_share (of a model that always abstains). A question's answer is known if at
-- least half of the model's replies in the form direct are right. Without direct answers, a right answer counts as
-- knowing.
-- known knows: it answers, and knows the answer; unknown knows: it abstains, but knows it;
-- known unknows: it abstains, and does not know it or there is none; unknown unknows: it answers, but does not know.
-- Needs: scores
with known as (
    select
        replies.*,
        case
            when not answerable then false
            when share_right is not null then share_right >= 0.5
            when abstained = 0 then coalesce(whole_word_match, 0) = 1
        end as is_known
    from self_aware_replies as replies
    left join self_aware_direct_answers as direct_answers
        on
            struct_update(replies.setting, form := 'direct') = direct_answers.setting
            and replies.example_id = direct_answers.example_id
    where abstained is not null
),

placed as (
    select
        setting, is_known,
        case
            when abstained = 1 then if(is_known, 'unknown knows', 'known unknows')
            else if(is_known, 'known knows', 'unknown unknows')
        end as quadrant
    from known
),

totals as (
    select
        setting,
        count(is_known) as n_graded, count(*) - count(is_known) as n_not_sampled,
        avg(is_known::integer) as is_known,
        histogram(quadrant) filter (where is_known is not null) as counts
    from placed
    group by setting
),

quadrants (place, quadrant) as (
    values (1, 'known knows'), (2, 'known unknows'), (3, 'unknown knows'), (4, 'unknown unknows')
)

select
    setting.* exclude (cohort), quadrant,
    coalesce(counts[quadrant], 0)::bigint as n, n_graded, n_not_sampled,
    coalesce(counts[quadrant], 0) / nullif(n_graded, 0) as share,
    case quadrant
        when 'unknown knows' then is_known
        when 'known unknows' then 1 - is_known
        else 0
    end as chance_share
from totals
cross join quadrants
order by setting, place
