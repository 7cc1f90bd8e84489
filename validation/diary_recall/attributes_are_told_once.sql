-- no attribute occurs twice in an entry
-- Grain: an entry that repeats an attribute. Columns: split, id, number (the entry's), sentences.
with attributes as (
    select
        attribute,
        1::bigint << ((row_number() over (order by attribute) - 1) % 62)::integer as bit
    from different_sentences
    group by attribute
),

coded as (
    select
        sentence, bit
    from different_sentences inner join attributes on different_sentences.attribute = attributes.attribute
),

all_sentences as (
    select
        rowid as entry,
        unnest(sentences) as sentence
    from entries
),

-- Fewer bits than sentences: an attribute is repeated, or two of more than 62 attributes share a bit.
suspects as (
    select all_sentences.entry
    from all_sentences inner join coded on all_sentences.sentence = coded.sentence
    group by all_sentences.entry
    having bit_count(bit_or(coded.bit)) < count(*)
),

-- Materialized, so that only the sentences of suspects are split, not those of every entry.
suspected as materialized (
    select
        *,
        list_transform(sentences, lambda sentence: split_part(sentence, ': ', 1)) as attributes
    from entries
    where rowid in (select entry from suspects)
)

select
    split, id, number, sentences
from suspected
where len(list_distinct(attributes)) < len(attributes)
order by all
