-- Does a model invent usable tasks, and does it agree with itself on them?
-- Source: Tan et al., Can I understand what I create?, section 6.4 and Table 8
-- Grain: one row a proposer, a judge, and a measure.
-- Columns: generator (who proposes tasks, writes and is asked about its own texts), verifier (who judges the
-- proposals); measure: proposal_parsed (its four lines are there, and slots to be filled), accepted (the judge says
-- yes), filled (of the instances asked for the share that was given), self_consistent (the reply about the text is the
-- answer that the instance names); n proposals, judgements or texts, n_graded of them, n_proposals that they go back
-- to; share, low and high (95%, Wilson over proposals, since instances of one are no independent trials): a reply that
-- could not be read counts as wrong, a failed request does not count. There is no chance line: the tasks are the
-- model's own.
-- Needs: scores
with casts as (
    select
        run_id,
        max(model) filter (where stage = 'propose') as generator,
        max(model) filter (where stage = 'judge') as judge
    from calls
    where task = 'self-knowledge-agents'
    group by run_id
),

graded as (
    select
        casts.generator,
        coalesce(casts.judge, casts.generator) as verifier,
        scores.metric as measure,
        count(*) as n,
        count(scores.value) as n_graded,
        count(*) filter (where not contains(coalesce(scores.reason, ''), 'the request failed: ')) as n_counted,
        count(distinct concat(calls.run_id, ',', calls.example_id)) filter (
            where not contains(coalesce(scores.reason, ''), 'the request failed: ')
        ) as n_proposals,
        coalesce(sum(scores.value), 0) as successes
    from calls
    inner join casts on calls.run_id = casts.run_id
    inner join scores on calls.generation_id = scores.generation_id
    where scores.metric in ('proposal_parsed', 'accepted', 'filled', 'self_consistent')
    group by all
)

select
    generator,
    verifier,
    measure,
    n,
    n_graded,
    n_proposals,
    successes / nullif(n_counted, 0) as share,
    wilson_low(successes / nullif(n_counted, 0) * n_proposals, n_proposals) as low,
    wilson_high(successes / nullif(n_counted, 0) * n_proposals, n_proposals) as high
from graded
order by generator, verifier, list_position(['proposal_parsed', 'accepted', 'filled', 'self_consistent'], measure)
