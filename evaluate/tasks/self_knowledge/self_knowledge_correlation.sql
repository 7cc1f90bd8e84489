-- Does self-consistency predict that a model is right?
-- Source: ours
-- Grain: one row per task, protocol, stage, generator and verifier.
-- Columns: task, protocol, wording, style, stage, generator, verifier; n texts, n_graded texts with all three metrics
-- (all further columns are over these); n_consistent of them; phi_written and phi_read (correlation of self-consistency
-- with correct writing and with correct reading, -1 to 1; null if one of the two never varies); right_if_consistent and
-- right_if_inconsistent (share read correctly among the self-consistent texts and among the others).
-- Needs: scores
with replies as (
    select
        *,
        generation_correct is not null and verification_correct is not null and self_consistent is not null as graded,
        if(graded, generation_correct, null) as written_rightly,
        if(graded, verification_correct, null) as read_rightly,
        if(graded, self_consistent, null) as agrees
    from self_knowledge_replies
)

select
    task, protocol, wording, style, stage, generator, verifier,
    count(*) as n,
    count(agrees) as n_graded,
    count(*) filter (where agrees = 1) as n_consistent,
    correlation(agrees, written_rightly) as phi_written,
    correlation(agrees, read_rightly) as phi_read,
    avg(read_rightly) filter (where agrees = 1) as right_if_consistent,
    avg(read_rightly) filter (where agrees = 0) as right_if_inconsistent
from replies
group by all
order by all
