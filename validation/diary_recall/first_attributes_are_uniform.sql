-- the first attributes of entries are uniform (chi-square, p >= 1e-6)
-- Grain: the first attributes of all entries, if they are not uniform; they are judged if 5 or more of each are
-- expected. Attributes of an entry are drawn without replacement, so only the first is multinomial.
-- Columns: num_entries (for each attribute, in alphabetical order), chi_square.
with first_sentences as (
    select
        sentences[1] as sentence,
        count(*) as num_entries
    from entries
    group by sentence
),

first_attributes as (
    select
        split_part(sentence, ': ', 1) as attribute,
        sum(num_entries) as num_entries
    from first_sentences
    group by attribute
),

attributes as (
    select distinct attribute from known_sentences
),

counts as (
    select
        attribute,
        coalesce(num_entries, 0) as num_entries,
        avg(coalesce(num_entries, 0)) over () as expected
    from attributes left join first_attributes using (attribute)
)

select
    list(counts.num_entries order by attribute) as num_entries,
    sum((counts.num_entries - expected) ^ 2 / expected) as chi_square
from counts
where expected >= 5
having chi_square > $chi_square_limits[count(*) - 1]
