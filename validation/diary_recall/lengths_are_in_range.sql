-- the number of sentences of an entry is in range
-- Grain: an entry with no or too many sentences. Columns: split, id, number (the entry's), num_sentences.
select
    split, id, number,
    len(sentences) as num_sentences
from entries
where len(sentences) not between 1 and $max_attributes
order by all
