-- Does a model invent usable tasks, and does it agree with itself on them?
-- Source: Tan et al., Can I understand what I create?, section 6.4 and Table 8
-- Grain: one row per proposer, judge and measure.
-- Columns: generator (proposes tasks, writes texts and is asked about them), verifier (judges the proposals); measure:
-- proposal_parsed (the proposal has four lines, and slots), accepted (the judge says yes), filled (the share of
-- requested instances that are given), self_consistent (the reply about the text is the instance's answer); n
-- proposals, judgements or texts, n_graded of them, n_proposals that they descend from; share, low and high (95%,
-- Wilson over proposals, because instances of one proposal are not independent), share_yes of share_of (the sum and the
-- number of those that count): a reply that could not be read counts as wrong, a failed request does not count. There
-- is no chance line, because the tasks are the model's own.
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
