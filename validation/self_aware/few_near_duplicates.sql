-- few questions share half their words with another one of their half
-- Grain: a split in which more questions than allowed have a near-duplicate: one with which they share half the
-- different words of both or more (Jaccard). Columns: split, num_rows, allowed, ids (some of them).
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

-- The words of a question, the rarest first.
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

-- Two questions that share half their words share one of the rarer half of each one's words, and from the first word
-- that they share enough follow to make a third of the words of both: so few pairs are compared.
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

near_duplicates as (
    select
        candidates.question, candidates.other
    from candidates
    inner join words_of_questions as one on candidates.question = one.question
    inner join words_of_questions as two on candidates.other = two.question and one.word = two.word
    group by all
    having count(*) * 3 >= any_value(one.num_words) + any_value(two.num_words)
),

having_one as (
    select question from near_duplicates
    union
    select other as question from near_duplicates
)

select
    questions.split, count(*) as num_rows,
    $most_near_duplicates as allowed,
    list_sort(list(questions.id))[:5] as ids
from having_one
inner join questions on having_one.question = questions.question
group by questions.split
having count(*) > $most_near_duplicates
order by all
