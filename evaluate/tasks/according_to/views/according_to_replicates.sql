-- according_to_replicates: the scores under a prompt in each replicate of the bootstrap.
-- Grain: one row per run, model, revision, metric, prompt and replicate; there are 1,000 replicates.
-- Columns: run_id, model, revision (the empty text if there is none), metric, prompt, replicate; score (mean over the
-- scored questions); difference (from the null prompt, over the questions scored under both) and relative_change
-- (difference / null score); flipped (the difference with a random sign for every question, as if prompts had no
-- effect).
-- The values of all questions are lists in the order of ids of `according_to_draws`, so that each sum over questions is
-- one inner product.
create or replace view according_to_replicates as
with changed as (
    select
        *,
        value - null_value as change
    from according_to_replies
),

lists as (
    select
        run_id, model, revision, metric, prompt,
        md5(list(example_id order by example_id)::varchar) as question_set,
        list(coalesce(value, 0) order by example_id) as scores,
        list((value is not null)::double order by example_id) as graded,
        list(coalesce(change, 0) order by example_id) as changes,
        list(if(change is null, 0, null_value) order by example_id) as null_scores,
        list((change is not null)::double order by example_id) as pairs,
        count(change) as n_pairs
    from changed
    group by all
)

select
    run_id, model, revision, metric, prompt, replicate,
    list_inner_product(scores, weights) / nullif(list_inner_product(graded, weights), 0) as score,
    list_inner_product(changes, weights) / nullif(list_inner_product(pairs, weights), 0) as difference,
    list_inner_product(changes, weights) / nullif(list_inner_product(null_scores, weights), 0) as relative_change,
    list_inner_product(changes, signs) / nullif(n_pairs, 0) as flipped
from lists
inner join according_to_draws using (question_set);
