-- a reply was given a prompt of tokens, and is of so many tokens that its text can be made of, with a logprob below 0
-- Grain: a reply with other numbers. Columns: split, id, run, prompt_tokens, completion_tokens, logprob, characters.
-- A token of a vocabulary of words is rarely longer than 32 characters; spaces and rules of dashes come in longer ones.
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
