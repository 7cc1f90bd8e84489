-- the flags are the row's flaws
-- Grain: a row whose flags are not its flaws. Columns: split, id, expected, found.
with expected as (
    select
        split, id, flags as found,
        case when len(list_filter(answers, lambda answer: length(answer) <= 3)) > 0 then ['alias_too_short'] else [] end
            as expected
    from corpus
)

select
    split, id, expected, found
from expected
where expected <> found
order by all
