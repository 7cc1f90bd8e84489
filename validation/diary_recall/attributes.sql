-- the attributes are those of Table 3
-- Grain: a sentence whose attribute is not in Table 3. Columns: split, id, number (the entry's), place, sentence.
with unknown_sentences as (
    select sentence
    from different_sentences
    anti join known_sentences on different_sentences.attribute = known_sentences.attribute
    where contains(sentence, ': ')
)

select
    split, id, number, place, sentence
from sentences semi join unknown_sentences using (sentence)
order by all
