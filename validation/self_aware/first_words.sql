-- the questions of both splits begin with similar words
-- Grain: both splits, if the shares of their first words differ by more than allowed (total variation distance).
-- Columns: distance, allowed.
with questions as (
    select
        answerable,
        words_in_order(question)[1] as first_word,
        count(*) over (partition by answerable) as num_rows
    from corpus
),

shares as (
    select
        first_word,
        coalesce(sum(1 / num_rows) filter (where answerable), 0) as answerable_share,
        coalesce(sum(1 / num_rows) filter (where not answerable), 0) as unanswerable_share
    from questions
    group by first_word
)

select
    round(sum(abs(answerable_share - unanswerable_share)) / 2, 3) as distance,
    $most_first_word_distance as allowed
from shares
having distance > $most_first_word_distance
