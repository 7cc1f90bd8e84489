-- Does a model that looks back at a keyword know how often it wrote it?
-- Source: Tan et al., Can I understand what I create?, Table 5; the attention score is ours
-- Grain: one row per generator, wording and style.
-- Columns: generator, wording, style; n texts; n_consistent (graded), consistent (self-consistent, of those graded),
-- consistent_low, consistent_high (95%, Wilson over distinct prompts); n_attention (with an attention score), attention
-- (mean score), attention_low, attention_high (95%, normal); gap (consistent minus attention); correlation of the two
-- over texts.
-- Needs: scores
with texts as (
    select
        replies.*,
        attention.value as attention
    from self_knowledge_replies as replies
    left join scores as attention
        on replies.generate_id = attention.generation_id and attention.metric = 'attention_score'
    where task = 'designated-count' and protocol = 'separate' and generator = verifier
)

select
    generator, wording, style, count(*) as n,
    unnest(consistent_share(self_consistent, prompt_id)),
    count(attention) as n_attention,
    avg(attention) as attention,
    avg(attention) - 1.959964 * stddev_samp(attention) / sqrt(count(attention)) as attention_low,
    avg(attention) + 1.959964 * stddev_samp(attention) / sqrt(count(attention)) as attention_high,
    avg(self_consistent) - avg(attention) as gap,
    correlation(self_consistent, attention) as correlation
from texts
group by generator, wording, style
order by all
