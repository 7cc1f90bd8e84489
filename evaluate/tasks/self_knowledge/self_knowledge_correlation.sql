-- Does self-consistency tell whether a model is right?
-- Source: ours
-- Grain: one row a task, protocol, stage, generator and verifier.
-- Columns: task, protocol, wording, style, stage, generator, verifier; n texts, n_graded of them with
-- all three numbers, of which everything else is; n_consistent of these; phi_written and phi_read (correlation of being
-- self-consistent with having written and with having read rightly, -1 to 1; null where one of the two never varies);
-- right_if_consistent and right_if_inconsistent (share read rightly among the self-consistent and among the others).
-- Needs: scores
with replies as (
    select
        *,
        generation_correct is not null and verification_correct is not null and self_consistent is not null as graded
    from self_knowledge_replies
)

select
    task,
    protocol,
    wording,
    style,
    stage,
    generator,
    verifier,
    count(*) as n,
    count(*) filter (where graded) as n_graded,
    count(*) filter (where graded and self_consistent = 1) as n_consistent,
    if(
        var_pop(self_consistent) filter (where graded) > 0 and var_pop(generation_correct) filter (where graded) > 0,
        corr(self_consistent, generation_correct) filter (where graded),
        null
    ) as phi_written,
    if(
        var_pop(self_consistent) filter (where graded) > 0 and var_pop(verification_correct) filter (where graded) > 0,
        corr(self_consistent, verification_correct) filter (where graded),
        null
    ) as phi_read,
    avg(verification_correct) filter (where graded and self_consistent = 1) as right_if_consistent,
    avg(verification_correct) filter (where graded and self_consistent = 0) as right_if_inconsistent
from replies
group by all
order by all
