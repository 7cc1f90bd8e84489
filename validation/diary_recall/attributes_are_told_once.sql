-- no attribute comes twice in an entry
-- Grain: an entry that tells an attribute several times. Columns: split, id, number (the entry's), sentences.
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

told_sentences as (
    select
        rowid as entry,
        unnest(sentences) as sentence
    from entries
),

-- Fewer bits than sentences: an attribute comes twice, or two of more than 62 attributes share a bit.
suspects as (
    select told_sentences.entry
    from told_sentences inner join coded on told_sentences.sentence = coded.sentence
    group by told_sentences.entry
    having bit_count(bit_or(coded.bit)) < count(*)
),

-- Materialized, or every entry would be cut before the suspects are looked for.
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
