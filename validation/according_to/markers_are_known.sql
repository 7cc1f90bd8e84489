-- no prompt has another marker than question, answer, corpus and corpus_address
-- Grain: a row with a marker that nobody replaces. Columns: split, id, marker.
with found as (
    select
        split, id,
        unnest(regexp_extract_all(concat(phrase, answer_prompt, explain_prompt), '\{[^{}]*\}')) as marker
    from corpus
)

select
    split, id, marker
from found
where marker not in ('{question}', '{answer}', '{corpus}', '{corpus_address}')
order by all
