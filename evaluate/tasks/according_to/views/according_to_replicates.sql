-- according_to_replicates: the scores under a prompt in each replicate of the bootstrap.
-- Grain: one row per run, model, revision, metric, prompt and replicate; there are 1,000 replicates.
-- Columns: run_id, model, revision (the empty text if there is none), metric, prompt, replicate; score (mean over the
-- scored questions); difference (from the null prompt, over the questions scored under both) and relative_change
-- (difference / null score); flipped (the difference with a random sign for every question, as if prompts had no
-- effect).
-- The values of all questions are lists in the order of ids of `according_to_draws`, so that each sum over questions is
-- one inner product. If every question has a value, the sum of their weights needs none.
create or replace view according_to_replicates as
with prompts as (
    select
        run_id, model, revision, metric, prompt,
        list(value order by example_id) as scores
    from according_to_replies
    group by all
),

pairs as (
    select
        prompts.*,
        list_transform(
            list_zip(prompts.scores, plain.scores),
            lambda pair: { 'change': pair[1] - pair[2], 'null_score': pair[2] }
        ) as pairs
    from prompts
    left join prompts as plain
        on
            prompts.run_id = plain.run_id
            and prompts.model = plain.model
            and prompts.revision = plain.revision
            and prompts.metric = plain.metric
            and plain.prompt = 'null'
),

lists as (
    select
        run_id, model, revision, metric, prompt, question_set,
        list_transform(scores, lambda score: coalesce(score, 0)) as scores,
        list_transform(scores, lambda score: (score is not null)::double) as graded,
        list_count(scores) = len(scores) as all_graded,
        list_transform(pairs, lambda pair: coalesce(pair.change, 0)) as changes,
        list_transform(pairs, lambda pair: if(pair.change is null, 0, pair.null_score)) as null_scores,
        list_transform(pairs, lambda pair: (pair.change is not null)::double) as pairs,
        len(list_filter(pairs, lambda pair: pair.change is not null)) as n_pairs
    from pairs
    inner join according_to_question_sets using (run_id, model, revision)
),

draws as (
    select
        *,
        list_sum(weights) as total_weight
    from according_to_draws
)

select
    run_id, model, revision, metric, prompt, replicate,
    list_inner_product(scores, weights)
    / nullif(if(all_graded, total_weight, list_inner_product(graded, weights)), 0) as score,
    list_inner_product(changes, weights)
    / nullif(if(n_pairs = len(changes), total_weight, list_inner_product(pairs, weights)), 0) as difference,
    list_inner_product(changes, weights) / nullif(list_inner_product(null_scores, weights), 0) as relative_change,
    list_inner_product(changes, signs) / nullif(n_pairs, 0) as flipped
from lists
cross join draws
-- A join on equality would copy all lists of one side for each pair.
where coalesce(lists.question_set = draws.question_set, false);
