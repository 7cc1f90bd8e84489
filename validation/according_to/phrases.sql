-- kind and phrase are those of Table 1, to the letter
-- Grain: a row whose kind or phrase is not that of Table 1. Columns: split, id, kind, phrase, expected.
with prompts as (select unnest($prompts) as prompt)

select
    corpus.split, corpus.id, corpus.kind, corpus.phrase, prompts.prompt as expected
from corpus
inner join prompts on corpus.prompt_id = prompts.prompt.id
where corpus.kind is distinct from prompts.prompt.kind or corpus.phrase is distinct from prompts.prompt.phrase
order by all
