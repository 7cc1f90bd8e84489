-- Does a model invent usable tasks, and does it agree with itself on them?
-- Source: Tan et al., Can I understand what I create?, section 6.4 and Table 8
-- Grain: one row per proposer, a judge, and a measure.
-- Columns: generator (who proposes tasks, writes and is asked about its own texts), verifier (who judges the
-- proposals); measure: proposal_parsed (its four lines are there, and slots to be filled), accepted (the judge says
-- yes), filled (of the instances asked for the share that was given), self_consistent (the reply about the text is the
-- answer that the instance names); n proposals, judgements or texts, n_graded of them, n_proposals that they go back
-- to; share, low and high (95%, Wilson over proposals, since instances of one are no independent trials), share_yes of
-- share_of (the sum over those that count, and their number): a reply that could not be read counts as wrong, a failed
-- request does not count. There is no chance line: the tasks are the model's own.
-- Needs: scores
with casts as (
    select
        run_id,
        max(model) filter (where stage = 'propose') as generator,
        max(model) filter (where stage = 'judge') as judge
    from calls
    where task = 'self-knowledge-agents'
    group by all
),

graded as (
    select
        generator, coalesce(judge, generator) as verifier, metric as measure,
        concat(run_id, ',', example_id) as proposal,
        value,
        not contains(coalesce(reason, ''), 'the request failed: ') as counts
    from calls
    inner join casts using (run_id)
    inner join scores using (generation_id)
    where metric in ('proposal_parsed', 'accepted', 'filled', 'self_consistent')
),

shares as (
    select
        generator, verifier, measure,
        count(*) as n, count(value) as n_graded,
        count(distinct proposal) filter (where counts) as n_proposals,
        coalesce(sum(value), 0) as share_yes, count(*) filter (where counts) as share_of,
        share_yes / nullif(share_of, 0) as share
    from graded
    group by all
)

select
    *,
    wilson_low(share * n_proposals, n_proposals) as low,
    wilson_high(share * n_proposals, n_proposals) as high
from shares
order by generator, verifier, list_position(['proposal_parsed', 'accepted', 'filled', 'self_consistent'], measure)
