-- Does a model understand its own texts better than another model does?
-- Source: ours; Tan et al., Can I understand what I create?, ask every model only about its own texts
-- Grain: one row per task, protocol, wording, style, stage, generator and other verifier of the same texts.
-- Columns: task, protocol, wording, style, stage, generator, other; n texts that both read, n_graded (pairs whose
-- replies could both be compared with the truth), own (the share of these that the generator read correctly),
-- other_share; difference (own minus other_share), difference_low, difference_high (95%, Agresti and Min's for matched
-- pairs), chance_difference (0), n_own_only and n_other_only (texts that only one read correctly); n_graded_consistent
-- (pairs whose replies could both be compared with the demanded answer), own_consistent and other_consistent (the
-- shares that give it).
-- Needs: scores
with replies as materialized (
    select
        task, protocol, wording, style, stage, generator, verifier, run_id, about_id,
        verification_correct, self_consistent
    from self_knowledge_replies
),

pairs as (
    select
        own.task, own.protocol, own.wording, own.style, stage, generator, others.verifier as other,
        own.verification_correct as own_read,
        others.verification_correct as other_read,
        own_read - other_read as change,
        own.self_consistent as own_agrees,
        others.self_consistent as other_agrees
    from replies as own
    inner join replies as others using (run_id, about_id, stage, generator)
    where own.verifier = generator and others.verifier <> generator
),

totals as (
    select
        task, protocol, wording, style, stage, generator, other,
        count(*) as n, count(change) as n_graded,
        avg(own_read) filter (where change is not null) as own,
        avg(other_read) filter (where change is not null) as other_share,
        paired_difference(sum(change), sum(change * change), count(change)) as paired,
        count(*) filter (where change > 0) as n_own_only,
        count(*) filter (where change < 0) as n_other_only,
        count(own_agrees - other_agrees) as n_graded_consistent,
        avg(own_agrees) filter (where other_agrees is not null) as own_consistent,
        avg(other_agrees) filter (where own_agrees is not null) as other_consistent
    from pairs
    group by all
)

select
    task, protocol, wording, style, stage, generator, other, n, n_graded, own, other_share,
    unnest(paired), 0.0 as chance_difference,
    n_own_only, n_other_only, n_graded_consistent, own_consistent, other_consistent
from totals
order by task, protocol, wording, style, stage, generator, other
