-- few questions share their rare words with another question of their split
-- Grain: a split in which more questions than allowed have a near-duplicate by cosine. A question is a vector of its
-- different words, each weighted by the logarithm of its rarity in the split.
-- Columns: split, num_rows, allowed, ids (some of them).
with questions as materialized (
    select
        row_number() over () as question,
        split, id,
        words(question) as words,
        count(*) over (partition by split) as num_questions
    from corpus
),

words_of_questions as (
    select
        question, split, num_questions,
        unnest(words) as word
    from questions
),

weights as materialized (
    select
        question, split, word,
        ln(num_questions / count(*) over (partition by split, word)) as weight
    from words_of_questions
),

vectors as materialized (
    select
        *,
        weight / sqrt(sum(weight * weight) over (partition by question)) as coordinate
    from weights
    where weight > 0
),

-- The squared length of each vector's part up to each word, the most frequent words first. If the cosine of two vectors
-- reaches c, they share a word where this length is at least c squared in both: without it, the earlier words would
-- give a smaller cosine (Cauchy and Schwarz).
ranked as materialized (
    select
        *,
        sum(coordinate * coordinate) over (
            partition by question
            order by coordinate asc, word desc
        ) as squared_length_up_to_here
    from vectors
),

candidates as materialized (
    select distinct
        first.question, second.question as other
    from ranked as first
    inner join ranked as second
        on first.word = second.word and first.split = second.split and first.question < second.question
    where
        first.squared_length_up_to_here >= $near_cosine * $near_cosine - 1e-9
        and second.squared_length_up_to_here >= $near_cosine * $near_cosine - 1e-9
),

alike as (
    select
        candidates.question, candidates.other
    from candidates
    inner join vectors as first on candidates.question = first.question
    inner join vectors as second on candidates.other = second.question and first.word = second.word
    group by all
    having sum(first.coordinate * second.coordinate) >= $near_cosine
),

near_duplicates as (
    select question from alike
    union
    select other as question from alike
)

select
    questions.split, count(*) as num_rows,
    $most_alike_by_cosine as allowed,
    list_sort(list(questions.id))[:5] as ids
from near_duplicates
inner join questions on near_duplicates.question = questions.question
group by questions.split
having count(*) > $most_alike_by_cosine
order by all
