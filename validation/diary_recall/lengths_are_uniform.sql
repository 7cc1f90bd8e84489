-- the lengths of entries are uniform (chi-square, p >= 1e-6)
-- Grain: the lengths of all entries, if they are not uniform; they are judged if 5 or more of each are expected.
-- Columns: num_entries (for 1, 2, … sentences), chi_square.
with counts as (
    select
        len(sentences) as length,
        count(*) as num_entries
    from entries
    group by length
),

possible_lengths as (
    select unnest(range(1, $max_attributes + 1)) as length
),

lengths as (
    select
        length,
        coalesce(num_entries, 0) as num_entries,
        sum(coalesce(num_entries, 0)) over () / $max_attributes as expected
    from possible_lengths left join counts using (length)
)

select
    list(lengths.num_entries order by length) as num_entries,
    sum((lengths.num_entries - expected) ^ 2 / expected) as chi_square
from lengths
where expected >= 5
having chi_square > $chi_square_limits[count(*) - 1]
