-- few questions share half of their words with another question of their split
-- Grain: a split in which more questions than allowed have a near-duplicate: two questions that share half or more of
-- the different words of both (Jaccard). Columns: split, num_rows, allowed, ids (some of them).
with questions as materialized (
    select
        row_number() over () as question,
        split, id,
        words(question) as words
    from corpus
),

words_of_questions as materialized (
    select
        question, split,
        len(words) as num_words,
        unnest(words) as word
    from questions
),

word_counts as (
    select
        word, count(*) as num_questions
    from words_of_questions
    group by word
),

-- The words of each question, the rarest first.
ranked_words as materialized (
    select
        words_of_questions.*,
        row_number() over (
            partition by words_of_questions.question
            order by word_counts.num_questions asc, words_of_questions.word asc
        ) as place
    from words_of_questions
    inner join word_counts on words_of_questions.word = word_counts.word
),

-- Two near-duplicates share a word that is among the rarer half of the words of each. From the first such word on, they
-- share at least a third of the number of words of both together. These two conditions leave few pairs to compare.
candidates as materialized (
    select distinct
        first.question, second.question as other
    from ranked_words as first
    inner join ranked_words as second
        on first.word = second.word and first.split = second.split and first.question < second.question
    where
        first.place * 2 <= first.num_words + 2
        and second.place * 2 <= second.num_words + 2
        and (1 + least(first.num_words - first.place, second.num_words - second.place)) * 3
        >= first.num_words + second.num_words
),

pairs as (
    select
        candidates.question, candidates.other
    from candidates
    inner join words_of_questions as first on candidates.question = first.question
    inner join words_of_questions as second on candidates.other = second.question and first.word = second.word
    group by all
    having count(*) * 3 >= any_value(first.num_words) + any_value(second.num_words)
),

near_duplicates as (
    select question from pairs
    union
    select other as question from pairs
)

select
    questions.split, count(*) as num_rows,
    $most_near_duplicates as allowed,
    list_sort(list(questions.id))[:5] as ids
from near_duplicates
inner join questions on near_duplicates.question = questions.question
group by questions.split
having count(*) > $most_near_duplicates
order by all
