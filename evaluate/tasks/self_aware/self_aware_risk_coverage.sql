-- Does a model's confidence predict which of its answers are right?
-- Source: ours; risk and coverage after El-Yaniv and Wiener (2010), On the foundations of noise-free selective
-- classification
-- Grain: one row per model, form, scorer, encoder, threshold, references and coverage (0.1, 0.2, … 1) of its answers.
-- Columns: model, form, scorer, encoder, threshold, references_name, coverage; n answers at this coverage; n_graded:
-- replies with a log-probability that the scorer counts; n_attempted: those of them that answer; attempted: their
-- share; risk: the share of the most confident answers (by mean log-probability per token) that are wrong (to an
-- unanswerable question, every answer is wrong); auroc: how well confidence separates answerable from unanswerable
-- questions, over all graded replies, 0.5 is chance; chance_risk: the risk of answers drawn at random. A model that
-- never answers has no row.
-- Needs: scores
with ranked as (
    select
        *,
        logprob / greatest(completion_tokens, 1) as confidence,
        (coalesce(whole_word_match, 0) = 0)::integer as is_wrong
    from self_aware_replies
    where abstained is not null and logprob is not null and isfinite(logprob)
),

placed as (
    select
        *,
        row_number() over (partition by setting, abstained order by confidence desc, generation_id asc) as place,
        -- ties share their middle rank
        rank() over (partition by setting order by confidence asc)
        + (count(*) over (partition by setting, confidence) - 1) / 2 as middle_rank
    from ranked
),

areas as (
    select
        setting,
        count(*) as n_graded, count(*) filter (where abstained = 0) as n_attempted,
        avg(is_wrong) filter (where abstained = 0) as chance_risk,
        auroc(
            sum(middle_rank) filter (where answerable),
            count(*) filter (where answerable), count(*) filter (where not answerable)
        ) as auroc
    from placed
    group by setting
),

coverages as (
    select number / 10 as coverage
    from range(1, 11) as numbers (number)
)

select
    model, form, scorer, encoder, threshold, references_name, coverage,
    n_graded, n_attempted, n_attempted / n_graded as attempted,
    count(*) as n, avg(is_wrong) as risk,
    auroc, chance_risk
from areas
cross join coverages
inner join placed using (setting)
where abstained = 0 and place <= ceil(coverage * n_attempted)
group by all
order by any_value(setting), coverage
