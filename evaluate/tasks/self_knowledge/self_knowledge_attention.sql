-- Does a model that looks back at a keyword know how often it wrote it?
-- Source: Tan et al., Can I understand what I create?, Table 5; the attention score is ours
-- Grain: one row a generator, wording and style.
-- Columns: generator, wording, style; n texts; n_consistent (graded), consistent (self-consistent, of those graded),
-- consistent_low, consistent_high (95%, Wilson over distinct prompts); n_attention (with an attention score), attention
-- (mean score), attention_low, attention_high (95%, normal); gap (consistent minus attention); correlation of the two
-- over texts.
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
    unnest(consistent_share(replies.self_consistent, replies.prompt_id)),
    count(attention.value) as n_attention,
    avg(attention.value) as attention,
    avg(attention.value)
    - 1.959964 * stddev_samp(attention.value) / sqrt(count(attention.value)) as attention_low,
    avg(attention.value)
    + 1.959964 * stddev_samp(attention.value) / sqrt(count(attention.value)) as attention_high,
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
group by replies.generator, replies.wording, replies.style
order by all
