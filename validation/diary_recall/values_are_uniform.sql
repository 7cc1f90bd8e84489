-- the values of each attribute are uniform (chi-square, p >= 1e-6)
-- Grain: an attribute whose values are not uniform; it is judged if 5 or more of each value are expected.
-- Columns: attribute, num_entries (for each value, in alphabetical order), chi_square.
with counts as (
    select
        attribute, known_sentences.value,
        coalesce(num_entries, 0) as num_entries,
        avg(coalesce(num_entries, 0)) over (partition by attribute) as expected
    from known_sentences left join different_sentences using (attribute, sentence)
)

select
    attribute,
    list(counts.num_entries order by value) as num_entries,
    sum((counts.num_entries - expected) ^ 2 / expected) as chi_square
from counts
where expected >= 5
group by attribute
having chi_square > $chi_square_limits[count(*) - 1]
order by all
