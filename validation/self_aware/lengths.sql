-- the questions of both splits have similar lengths
-- Grain: both splits, if the mean number of words of one exceeds the other's by over a quarter.
-- Columns: words_answerable, words_unanswerable.
select
    round(avg(len(words_in_order(question))) filter (where answerable), 2) as words_answerable,
    round(avg(len(words_in_order(question))) filter (where not answerable), 2) as words_unanswerable
from corpus
having
    greatest(words_answerable, words_unanswerable) > 1.25 * least(words_answerable, words_unanswerable)
