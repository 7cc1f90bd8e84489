-- yes is the answer about as often as no
-- Grain: the split answerable, if more than 55% of its yes-or-no answers are the same. Columns: split, num_yes, num_no.
select
    'answerable' as split,
    count(*) filter (where lower(answers[1]) = 'yes') as num_yes,
    count(*) filter (where lower(answers[1]) = 'no') as num_no
from corpus
where answerable and list_contains(['yes', 'no'], lower(answers[1]))
having greatest(num_yes, num_no) > 0.55 * (num_yes + num_no)
