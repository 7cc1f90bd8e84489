-- the flags are the row's flaws
-- Grain: a row whose flags are not its flaws. Columns: split, id, expected, actual.
with expected as (
    select
        split, id, flags as actual,
        case when len(list_filter(answers, lambda answer: length(answer) <= 3)) > 0 then ['alias_too_short'] else [] end
            as expected
    from corpus
)

select
    split, id, expected, actual
from expected
where expected <> actual
order by all
