-- the flags are the row's flaws
-- Grain: a row whose flags are not its flaws. Columns: split, id, expected, actual.
with counted as (
    select
        *,
        count(*) over (partition by normalized(question)) as times_asked
    from corpus
),

flaws as (
    select
        split, id, flags as actual,
        times_asked > 1 as is_duplicate,
        len(list_filter(answers, lambda answer: contains(lower(question), lower(answer)))) > 0 as leaks,
        len(list_filter(answers, lambda answer: length(answer) <= 3)) > 0 as is_short
    from counted
),

expected as (
    select
        split, id, actual,
        list_filter(
            [
                case when is_duplicate then 'duplicate' end,
                case when leaks then 'answer_in_question' end,
                case when is_short then 'alias_too_short' end
            ],
            lambda flag: flag is not null
        ) as expected
    from flaws
)

select
    split, id, expected, actual
from expected
where expected <> actual
order by all
