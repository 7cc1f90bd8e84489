-- Does it fail at writing or at reading?
-- Source: ours; the paper's one score mixes them (section 7.2.1 separates them for one task)
-- Grain: one row per task, protocol, stage, generator, verifier and kind.
-- Columns: task, protocol, wording, style, stage, generator, verifier; kind (of failure: none, writing, reading, both,
-- or unknown if one of the two could not be graded); n texts, n_consistent (self-consistent ones among them: consistent
-- but wrong if the kind is writing or both), n_estimated (texts whose true answer is an estimate), share (of all
-- texts), share_low and share_high (95%, Wilson over distinct prompts, n_prompts).
-- Needs: scores
with kinds as (
    select
        task, protocol, wording, style, stage, generator, verifier,
        case
            when generation_correct is null or verification_correct is null then 'unknown'
            when generation_correct = 1 and verification_correct = 1 then 'none'
            when generation_correct = 1 then 'reading'
            when verification_correct = 1 then 'writing'
            else 'both'
        end as kind,
        prompt_id,
        count(*) as n,
        count(*) filter (where self_consistent = 1) as n_consistent,
        count(*) filter (where estimated) as n_estimated
    from self_knowledge_replies
    group by all
),

with_totals as (
    select
        *,
        count(distinct prompt_id) over of_models as n_prompts,
        sum(n) over of_models as n_all
    from kinds
    window of_models as (partition by task, protocol, wording, style, stage, generator, verifier)
),

counted as (
    select
        task, protocol, wording, style, stage, generator, verifier, kind,
        sum(n)::bigint as n, sum(n_consistent)::bigint as n_consistent, sum(n_estimated)::bigint as n_estimated,
        n_prompts, n_all
    from with_totals
    group by all
)

select
    * exclude (n_all),
    n / n_all as share,
    wilson_low(n / n_all * n_prompts, n_prompts) as share_low,
    wilson_high(n / n_all * n_prompts, n_prompts) as share_high
from counted
order by all
