-- the values of each attribute are those of Table 3
-- Grain: a sentence whose value is not one of its attribute's in Table 3.
-- Columns: split, id, number (the entry's), place, sentence.
with of_known_attributes as (
    select sentence
    from different_sentences
    semi join known_sentences on different_sentences.attribute = known_sentences.attribute
),

unknown_sentences as (
    select sentence
    from of_known_attributes
    anti join known_sentences using (sentence)
)

select
    split, id, number, place, sentence
from sentences semi join unknown_sentences using (sentence)
order by all
