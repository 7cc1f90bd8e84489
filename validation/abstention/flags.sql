-- the flags are the row's flaws
-- Grain: a row whose flags are not its flaws; `safety` comes from the authors and is not a flaw.
-- Columns: split, id, expected, actual.
with counted as (
    select
        *,
        count(*) over (partition by normalized(question)) as times_asked
    from corpus
),

flaws as (
    select
        split, id,
        list_filter(flags, lambda flag: flag <> 'safety') as actual,
        times_asked > 1 as is_duplicate,
        len(list_filter(answers, lambda answer: contains(lower(question), lower(answer)))) > 0 as leaks,
        len(list_filter(answers, lambda answer: length(answer) <= 3)) > 0 as is_short,
        answerable and len(answers) = 0 as has_no_answer
    from counted
),

expected as (
    select
        split, id, actual,
        list_filter(
            [
                case when is_duplicate then 'duplicate' end,
                case when leaks then 'answer_in_question' end,
                case when is_short then 'alias_too_short' end,
                case when has_no_answer then 'no_answer' end
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
