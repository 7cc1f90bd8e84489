-- few answers have an alias of three characters or fewer, except numbers, yes and no
-- Grain: all answerable rows with such an alias, if there are more than allowed.
-- Columns: split, num_rows, allowed, ids (some of them).
select
    'answerable' as split,
    count(*) as num_rows,
    $most_short_aliases as allowed,
    list_sort(list(id))[:5] as ids
from corpus
where
    answerable
    and len(
        list_filter(
            answers,
            lambda answer: length(answer) <= 3
            and not regexp_matches(answer, '\d')
            and not list_contains(['yes', 'no', 'one', 'two', 'six', 'ten'], lower(answer))
        )
    )
    > 0
having count(*) > $most_short_aliases
