-- Does a model quote more if question and answer occur together more often?
-- Source: Weller et al., "According to ...", section 4.4 and Figure 3
-- Grain: one row per run, model, metric, prompt and bin.
-- Columns: dataset, model_label, run_id, metric, prompt, kind; cooccurrences_from, cooccurrences_to (passages in which
-- they occur together, the bin's bounds: 0, 1 to 10, 11 to 100, and so on); n questions, at most 400 a bin, drawn by
-- MD5 of their id (the same for all models and prompts); n_graded; score, score_low, score_high (95%: Wilson's for
-- exact_match, whole_word_match and has_explanation; else a bootstrap over the bin's questions, 1,000 replicates,
-- Wilson's if a score is exactly 0 or 1, null for fewer than two questions); share_unscored.
-- Needs: scores
with binned as (
    select
        run_id,
        id as example_id,
        -- 1 to 10 is the first bin, 11 to 100 the second
        if(cooccurrences = 0, 0, length((cooccurrences - 1)::varchar)) as bin
    from according_to_questions
    where cooccurrences >= 0
),

drawn as (
    select *
    from binned
    qualify row_number() over (partition by run_id, bin order by md5(example_id), example_id) <= 400
),

bins as (
    select
        number, bin,
        list(question_place order by question_place) as question_places,
        list(example_id order by question_place) as ids
    from (
        select run_id, number, unnest(ids) as example_id, generate_subscripts(ids, 1) as question_place
        from according_to_question_sets
    ) as questions
    inner join drawn using (run_id, example_id)
    group by all
),

cells as (
    select
        dataset, model_label, run_id, metric, prompt, kind, place, bin, ids,
        list_select(scores, question_places) as scores
    from according_to_cells
    inner join bins using (number)
),

-- All scores of a bin are one matrix, which is multiplied by that of all replicates.
matrices as (
    select
        ids, metric,
        list({
            'dataset': dataset, 'model_label': model_label, 'run_id': run_id, 'metric': metric, 'prompt': prompt,
            'kind': kind, 'place': place, 'bin': bin,
            'n': len(scores), 'n_graded': list_count(scores), 'score': list_avg(scores)
        }) as cells,
        list(scores) as scores
    from cells
    group by all
),

draws as (
    select
        ids,
        list(poisson_weights(random_numbers(replicate, ids)) order by replicate) as weights
    from (select distinct ids from bins) as sets
    cross join range(1000) as replicates (replicate)
    group by all
),

resampled as (
    select
        unnest(cells) as cell,
        unnest(weighted_means(scores, weights)) as replicates
    from matrices
    inner join draws using (ids)
),

totals as (
    select
        unnest(cell),
        list_percentiles(replicates) as ends
    from resampled
)

select
    dataset, model_label, run_id, metric, prompt, kind,
    case bin when 0 then 0 when 1 then 1 else pow(10, bin - 1) + 1 end::bigint as cooccurrences_from,
    if(bin = 0, 0, pow(10, bin))::bigint as cooccurrences_to,
    n, n_graded, score,
    score_interval(metric, ends, score, n_graded).low as score_low,
    score_interval(metric, ends, score, n_graded).high as score_high,
    1 - n_graded / n as share_unscored
from totals
order by dataset, model_label, run_id, metric, place, bin
