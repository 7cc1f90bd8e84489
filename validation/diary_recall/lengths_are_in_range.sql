-- an entry has from 1 to the asked most sentences
-- Grain: an entry with no sentence or with too many. Columns: split, id, number (the entry's), num_sentences.
select
    split, id, number,
    len(sentences) as num_sentences
from entries
where len(sentences) not between 1 and $max_attributes
order by all
