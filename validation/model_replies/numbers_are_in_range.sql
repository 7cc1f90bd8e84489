-- the numbers of tokens are plausible for the lengths of prompt and reply, and the logprob is below 0
-- Grain: a reply with other numbers. Columns: split, id, run, prompt_tokens, completion_tokens, logprob, characters.
-- A reply may have up to 32 characters per token: single tokens of many spaces or dashes are longer, but rare.
select
    split, id, run, prompt_tokens, completion_tokens, logprob,
    length(generation) as characters
from corpus
where
    error is null
    and not coalesce(
        prompt_tokens > 0
        and prompt_tokens <= strlen(prompt)
        and completion_tokens >= 0
        and length(generation) <= 32 * completion_tokens
        and (logprob < 0 or (logprob = 0 and completion_tokens <= 1))
        and isfinite(logprob),
        false
    )
    or sample < 0
    or attempt < 0
order by all
