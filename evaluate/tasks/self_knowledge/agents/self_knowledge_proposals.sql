-- What did a model propose, what was accepted or refused, and why?
-- Source: Tan et al., Can I understand what I create?, section 6.4 and Table 8, which shows three of them
-- Grain: one row a run and proposal.
-- Columns: run_id, generator (who proposes), verifier (who judges), proposal (its row's id); name, generate_prompt,
-- verify_prompt and answer, with slots in square brackets; state (accepted, refused, undecided: the judge could not be
-- read, unusable: no template, failed, not judged), why (the judge's reason, or the reader's); n instances that were
-- carried out, n_graded of them; consistent (the share whose reply is the answer that the instance names), low, high
-- (95%, Wilson over instances; a reply that could not be read is not graded).
-- Needs: scores
with judges as (
    select
        parent_generation_id,
        any_value(model) as judge
    from calls
    where task = 'self-knowledge-agents' and stage = 'judge'
    group by parent_generation_id
),

carried_out as (
    select
        calls.run_id,
        calls.example_id,
        share(scores.value) as consistent
    from calls
    inner join scores on calls.generation_id = scores.generation_id
    where calls.task = 'self-knowledge-agents' and scores.metric = 'self_consistent'
    group by calls.run_id, calls.example_id
)

select
    calls.run_id,
    calls.model as generator,
    judges.judge as verifier,
    calls.example_id as proposal,
    proposals.name,
    proposals.generate_prompt,
    proposals.verify_prompt,
    proposals.answer,
    proposals.state,
    proposals.why,
    proposals.num_instances as n,
    coalesce(carried_out.consistent.n_graded, 0) as n_graded,
    carried_out.consistent.share as consistent,
    carried_out.consistent.low,
    carried_out.consistent.high
from self_knowledge_proposals as proposals
inner join calls on proposals.generation_id = calls.generation_id
left join judges on calls.generation_id = judges.parent_generation_id
left join carried_out on calls.run_id = carried_out.run_id and calls.example_id = carried_out.example_id
order by calls.run_id, calls.model, calls.example_id
