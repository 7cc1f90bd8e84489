-- Which tasks did a model propose, which were accepted or refused, and why?
-- Source: Tan et al., Can I understand what I create?, section 6.4 and Table 8, which shows three of them
-- Grain: one row per run and proposal.
-- Columns: run_id, generator (the proposer), verifier (the judge), proposal (the row's id); name, generate_prompt,
-- verify_prompt and answer, with slots in square brackets; state (accepted, refused, undecided: the judge's reply could
-- not be read, unusable: not a template, failed, not judged), why (the judge's reason, or the reader's); n instances
-- carried out, n_graded of them; consistent (the share whose reply is the instance's answer), low, high (95%, Wilson
-- over instances; a reply that could not be read is not graded).
-- Needs: scores
with judges as (
    select
        parent_generation_id as generation_id,
        any_value(model) as verifier
    from calls
    where task = 'self-knowledge-agents' and stage = 'judge'
    group by all
),

carried_out as (
    select
        run_id, example_id,
        share(value) as consistent
    from calls
    inner join scores using (generation_id)
    where task = 'self-knowledge-agents' and metric = 'self_consistent'
    group by all
)

select
    run_id, model as generator, verifier, example_id as proposal,
    name, generate_prompt, verify_prompt, answer, state, why, num_instances as n,
    coalesce(consistent.n_graded, 0) as n_graded,
    consistent.share as consistent, consistent.low, consistent.high
from self_knowledge_proposals
inner join calls using (generation_id)
left join judges using (generation_id)
left join carried_out using (run_id, example_id)
order by run_id, generator, proposal
