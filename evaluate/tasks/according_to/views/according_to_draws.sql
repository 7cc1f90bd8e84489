-- according_to_draws: the random numbers of the bootstrap and of the sign flips, the same on every machine.
-- Grain: one row per set of questions.
-- Columns: question_set (MD5 of its ids); weights (for each of 1,000 replicates the number of times that it draws each
-- question, Poisson with mean 1, in the order of ids), signs (for each replicate 1 or -1 for each question).
-- The seed of both is the MD5 of replicate and question, so all prompts and models share them.
create or replace view according_to_draws as
with sets as (
    select distinct question_set, ids
    from according_to_question_sets
),

-- The weights and the signs share one computation of MD5.
numbered as (
    select
        question_set, replicate,
        random_numbers(replicate, ids) as numbers
    from sets
    cross join range(1000) as replicates (replicate)
)

select
    question_set,
    list(poisson_weights(numbers) order by replicate) as weights,
    list(random_signs(numbers) order by replicate) as signs
from numbered
group by question_set;
