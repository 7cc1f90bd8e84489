-- Does a model that looks back at a keyword know how often it wrote it?
-- Source: Tan et al., Can I understand what I create?, Table 5; the attention score is ours
-- Grain: one row a generator, wording and style.
-- Columns: generator, wording, style; n texts, n_attention (with an attention score), consistent (self-consistent, of
-- those graded), attention (mean score), gap (consistent minus attention); correlation of the two over texts.
-- Needs: scores
with attention as (
    select
        generation_id,
        value
    from scores
    where metric = 'attention_score'
)

select
    replies.generator,
    replies.wording,
    replies.style,
    count(*) as n,
    count(attention.value) as n_attention,
    avg(replies.self_consistent) as consistent,
    avg(attention.value) as attention,
    avg(replies.self_consistent) - avg(attention.value) as gap,
    if(
        var_pop(replies.self_consistent) > 0 and var_pop(attention.value) > 0,
        corr(replies.self_consistent, attention.value),
        null
    ) as correlation
from self_knowledge_replies as replies
left join attention on replies.generate_id = attention.generation_id
where
    replies.task = 'designated-count'
    and replies.protocol = 'separate'
    and replies.generator = replies.verifier
group by all
order by all
