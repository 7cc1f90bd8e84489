-- the only markers in prompts are question, answer, corpus and corpus_address
-- Grain: a row and an unknown marker, which nothing would replace. Columns: split, id, marker.
with markers as (
    select
        split, id,
        unnest(regexp_extract_all(concat(phrase, answer_prompt, explain_prompt), '\{[^{}]*\}')) as marker
    from corpus
)

select
    split, id, marker
from markers
where marker not in ('{question}', '{answer}', '{corpus}', '{corpus_address}')
order by all
