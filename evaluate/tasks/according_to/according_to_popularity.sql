-- Does a model quote more where question and answer occur together more often?
-- Source: Weller et al., "According to ...", section 4.4 and Figure 3
-- Grain: one row a run, model, metric, prompt and bin.
-- Columns: dataset, model_label, run_id, metric, prompt, kind; cooccurrences_from, cooccurrences_to (passages in which
-- they occur together, the bin's bounds: 0, 1 to 10, 11 to 100, and so on); n questions, at most 400 a bin, drawn by
-- MD5 of their id (the same for all models and prompts); n_graded; score, score_low, score_high (95%: Wilson's for
-- exact_match, whole_word_match and has_explanation; else a bootstrap over the bin's questions, 1,000 replicates,
-- Wilson's where a score is exactly 0 or 1, null for fewer than two questions); share_unscored.
-- Needs: scores
with binned as (
    select
        run_id,
        id,
        -- 1 to 10 is the first bin, 11 to 100 the second
        if(cooccurrences = 0, 0, length((cooccurrences - 1)::varchar)) as bin
    from according_to_questions
    where cooccurrences >= 0
),

drawn as (
    select *
    from binned
    qualify row_number() over (partition by run_id, bin order by md5(id), id) <= 400
),

replies as (
    select
        replies.* exclude (revision),
        coalesce(replies.revision, '') as revision,
        drawn.bin
    from according_to_replies as replies
    inner join drawn on replies.run_id = drawn.run_id and replies.example_id = drawn.id
),

totals as (
    select
        dataset,
        model_label,
        run_id,
        model,
        revision,
        metric,
        prompt,
        kind,
        place,
        bin,
        list(example_id order by example_id) as ids,
        list(coalesce(value, 0) order by example_id) as scores,
        list(if(value is null, 0::double, 1::double) order by example_id) as graded,
        count(*) as n,
        count(value) as n_graded,
        sum(value) as total,
        avg(value) as score
    from replies
    group by all
),

draws as materialized (
    select
        sets.ids,
        poisson_weights(random_numbers(replicates.replicate, sets.ids)) as weights
    from (select distinct ids from totals) as sets
    cross join range(1000) as replicates (replicate)
),

intervals as (
    select
        totals.run_id,
        totals.model,
        totals.revision,
        totals.metric,
        totals.prompt,
        totals.bin,
        quantile_cont(
            list_inner_product(totals.scores, draws.weights)
            / nullif(list_inner_product(totals.graded, draws.weights), 0),
            [0.025, 0.975]
        ) as ends
    from totals
    inner join draws on totals.ids = draws.ids
    where totals.metric not in ('exact_match', 'has_explanation', 'whole_word_match')
    group by all
)

select
    totals.dataset,
    totals.model_label,
    totals.run_id,
    totals.metric,
    totals.prompt,
    totals.kind,
    case totals.bin when 0 then 0 when 1 then 1 else pow(10, totals.bin - 1) + 1 end::bigint as cooccurrences_from,
    if(totals.bin = 0, 0, pow(10, totals.bin))::bigint as cooccurrences_to,
    totals.n,
    totals.n_graded,
    totals.score,
    case
        when totals.metric in ('exact_match', 'has_explanation', 'whole_word_match')
            then wilson_low(totals.total, totals.n_graded)
        when totals.metric = 'quip_corrected' and totals.n_graded > 1 then intervals.ends[1]
        when totals.metric <> 'quip_corrected' then bootstrap_low(intervals.ends[1], totals.score, totals.n_graded)
    end as score_low,
    case
        when totals.metric in ('exact_match', 'has_explanation', 'whole_word_match')
            then wilson_high(totals.total, totals.n_graded)
        when totals.metric = 'quip_corrected' and totals.n_graded > 1 then intervals.ends[2]
        when totals.metric <> 'quip_corrected' then bootstrap_high(intervals.ends[2], totals.score, totals.n_graded)
    end as score_high,
    1 - totals.n_graded / totals.n as share_unscored
from totals
left join intervals
    on
        totals.run_id = intervals.run_id
        and totals.model = intervals.model
        and totals.revision = intervals.revision
        and totals.metric = intervals.metric
        and totals.prompt = intervals.prompt
        and totals.bin = intervals.bin
order by totals.dataset, totals.model_label, totals.run_id, totals.metric, totals.place, totals.bin
