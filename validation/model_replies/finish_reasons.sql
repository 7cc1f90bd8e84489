-- a reply ends by itself, is cut off at its run's max_new_tokens, or is a text that the model only scored
-- Grain: a reply that ends otherwise. Columns: split, id, run, finish_reason, completion_tokens, max_new_tokens.
select
    corpus.split, corpus.id, corpus.run, corpus.finish_reason, corpus.completion_tokens,
    described.max_new_tokens
from corpus
inner join described on corpus.run = described.run
where
    corpus.error is null
    and not coalesce(
        (corpus.finish_reason = 'stop' and corpus.completion_tokens <= described.max_new_tokens)
        or (corpus.finish_reason = 'length' and corpus.completion_tokens = described.max_new_tokens)
        or corpus.finish_reason = 'forced',
        false
    )
order by all
