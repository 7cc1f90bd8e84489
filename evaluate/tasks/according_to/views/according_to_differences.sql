-- according_to_differences: the difference between a prompt and the null prompt on the same questions. Continuations
-- have no null prompt, so they have no row.
-- Grain: one row per run, model, revision, metric and prompt except the null prompt.
-- Columns: dataset, format, placement, portrait (its SHA-256), suite, model_label, num_parameters,
-- instruction_tuned_from, run_id, model, revision (the empty text if there is none), metric, prompt, kind, place; n
-- questions, n_pairs those with a value under both prompts; null_score, score (means over the pairs), difference;
-- replicates (a list of the difference in each replicate of the bootstrap), difference_low, difference_high,
-- relative_change (difference / null_score, null if null_score is not above 0), relative_low, relative_high (95%,
-- paired bootstrap over questions; null for fewer than two pairs); p_value (paired sign flips, two-sided).
create or replace view according_to_differences as
-- All scores of a set of questions are one matrix, which is multiplied by that of all replicates.
with matrices as (
    select
        question_set, metric,
        list({
            'dataset': dataset, 'format': format, 'placement': placement, 'portrait': portrait, 'suite': suite,
            'model_label': model_label, 'num_parameters': num_parameters,
            'instruction_tuned_from': instruction_tuned_from, 'run_id': run_id, 'model': model, 'revision': revision,
            'prompt': prompt, 'kind': kind, 'place': place, 'n': len(scores)
        }) as cells,
        list(scores) as scores,
        list(number) as numbers,
        list(if(kind = 'null', number, null)) as numbers_of_null
    from according_to_cells
    where kind <> 'continuation'
    group by all
),

resampled as (
    select
        metric,
        unnest(cells) as cell,
        unnest(
            paired_means(
                scores,
                list_transform(numbers, lambda number: coalesce(list_position(numbers_of_null, number), 0)),
                weights,
                signs
            )
        ) as means
    from matrices
    inner join according_to_draws using (question_set)
),

tested as (
    select
        metric,
        unnest(cell),
        unnest(means),
        list_percentiles(means.differences) as ends,
        list_percentiles(means.relative_changes) as relative_ends,
        list_filter(means.flipped, lambda change: abs(change) >= abs(means.difference) - 1e-12) as larger_flips
    from resampled
    where cell.kind <> 'null'
)

select
    * exclude (differences, relative_changes, flipped, ends, relative_ends, larger_flips),
    differences as replicates,
    if(n_pairs > 1, ends.low, null) as difference_low,
    if(n_pairs > 1, ends.high, null) as difference_high,
    if(null_score > 0, difference / null_score, null) as relative_change,
    if(n_pairs > 1 and null_score > 0, relative_ends.low, null) as relative_low,
    if(n_pairs > 1 and null_score > 0, relative_ends.high, null) as relative_high,
    if(n_pairs > 0, (1 + len(larger_flips)) / 1001, null) as p_value
from tested;
