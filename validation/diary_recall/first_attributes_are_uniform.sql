-- the attribute that an entry begins with is uniform (chi-square, p >= 1e-6)
-- Grain: the attributes that entries begin with, where they are not uniform; they are judged when 5 or more of each
-- are expected. Which attributes an entry holds is drawn without replacement, so only the first is multinomial.
-- Columns: found (for each attribute, in alphabetical order), chi_square.
with first_sentences as (
    select
        sentences[1] as sentence,
        count(*) as num_found
    from entries
    group by sentence
),

first_attributes as (
    select
        split_part(sentence, ': ', 1) as attribute,
        sum(num_found) as num_found
    from first_sentences
    group by attribute
),

attributes as (
    select distinct attribute from known_sentences
),

found as (
    select
        attribute,
        coalesce(num_found, 0) as num_found,
        avg(coalesce(num_found, 0)) over () as expected
    from attributes left join first_attributes using (attribute)
)

select
    list(num_found order by attribute) as found,
    sum((num_found - expected) ^ 2 / expected) as chi_square
from found
where expected >= 5
having chi_square > $chi_square_limits[count(*) - 1]
