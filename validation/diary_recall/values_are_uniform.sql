-- the values of each attribute are uniform (chi-square, p >= 1e-6)
-- Grain: an attribute whose values are not uniform; it is judged when 5 or more of each value are expected.
-- Columns: attribute, found (for each value, in alphabetical order), chi_square.
with found as (
    select
        attribute, known_sentences.value,
        coalesce(num_found, 0) as num_found,
        avg(coalesce(num_found, 0)) over (partition by attribute) as expected
    from known_sentences left join different_sentences using (attribute, sentence)
)

select
    attribute,
    list(num_found order by value) as found,
    sum((num_found - expected) ^ 2 / expected) as chi_square
from found
where expected >= 5
group by attribute
having chi_square > $chi_square_limits[count(*) - 1]
order by all
