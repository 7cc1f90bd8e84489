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

totals as (
    select
        dataset, model_label, run_id, model, revision, metric, prompt, kind, place, bin,
        list(example_id order by example_id) as ids,
        list(coalesce(value, 0) order by example_id) as scores,
        list((value is not null)::double order by example_id) as graded,
        count(*) as n, count(value) as n_graded, avg(value) as score
    from according_to_replies
    inner join drawn using (run_id, example_id)
    group by all
),

draws as materialized (
    select
        ids,
        poisson_weights(random_numbers(replicate, ids)) as weights
    from (select distinct ids from totals) as sets
    cross join range(1000) as replicates (replicate)
),

resampled as (
    select
        run_id, model, revision, metric, prompt, bin,
        percentiles(list_inner_product(scores, weights) / nullif(list_inner_product(graded, weights), 0)) as ends
    from totals
    inner join draws using (ids)
    where not is_yes_or_no(metric)
    group by all
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
left join resampled using (run_id, model, revision, metric, prompt, bin)
order by dataset, model_label, run_id, metric, place, bin
