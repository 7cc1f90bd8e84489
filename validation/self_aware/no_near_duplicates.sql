-- no two unanswerable questions share 70% of their runs of five characters
-- Grain: two unanswerable questions that share 70% or more of their runs of five characters (Jaccard).
-- Columns: split, id, other_id, similarity.
with questions as (
    select
        split, id,
        five_grams(question) as grams
    from corpus
    where not answerable
),

grams as (
    select
        split, id,
        len(grams) as num_grams,
        unnest(grams) as gram
    from questions
),

shared as (
    select
        first.split, first.id, second.id as other_id, count(*) as num_shared,
        any_value(first.num_grams) + any_value(second.num_grams) - count(*) as num_either
    from grams as first inner join grams as second on first.gram = second.gram and first.id < second.id
    group by all
)

select
    split, id, other_id,
    round(num_shared / num_either, 3) as similarity
from shared
where num_shared >= $near_duplicate * num_either
order by all
