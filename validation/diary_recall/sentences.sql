-- the lines below the title of an entry are sentences, each an attribute and a value
-- Grain: a line that is not a sentence. Columns: split, id, number (the entry's), place, sentence.
with misshapen as (
    select sentence
    from different_sentences
    where not regexp_full_match(sentence, '[A-Z][A-Za-z]*( [A-Z][A-Za-z]*)*: [A-Z][A-Za-z]*( [A-Z][A-Za-z]*)*')
)

select
    split, id, number, place, sentence
from sentences semi join misshapen using (sentence)
order by all
