-- Does a model's own confidence say which of its answers are right?
-- Source: ours; risk and coverage after El-Yaniv and Wiener (2010), On the foundations of noise-free selective
-- classification
-- Grain: one row a model, form, scorer, encoder, threshold, references and coverage (0.1, 0.2, … 1) of its answers.
-- Columns: those; n answers at this coverage; n_attempted: all answers with a log-probability, without replies that
-- abstain or cannot be read; n_graded: all replies that the scorer counts and that have a log-probability; attempted:
-- the share of these; risk: the share of the most confident answers (mean log-probability a token) that is not right
-- (without a right answer, every answer is wrong); auroc: over all graded replies, how well confidence separates
-- answerable from unanswerable questions, 0.5 is chance; chance_risk: the risk of answers drawn at random. A model that
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
        row_number() over (
            partition by cohort, model, form, scorer, encoder, threshold, references_name, abstained
            order by confidence desc, generation_id asc
        ) as place,
        rank() over (
            partition by cohort, model, form, scorer, encoder, threshold, references_name order by confidence asc
        ) as low_rank,
        count(*) over (
            partition by cohort, model, form, scorer, encoder, threshold, references_name, confidence
        ) as ties
    from ranked
),

areas as (
    select
        cohort,
        model,
        form,
        scorer,
        encoder,
        threshold,
        references_name,
        count(*) as n_graded,
        count(*) filter (where abstained = 0) as n_attempted,
        avg(is_wrong) filter (where abstained = 0) as chance_risk,
        -- Mann and Whitney's U of the answerable questions' ranks, ties in the middle
        (
            sum(low_rank + (ties - 1) / 2) filter (where answerable)
            - count(*) filter (where answerable) * (count(*) filter (where answerable) + 1) / 2
        )
        / nullif(count(*) filter (where answerable) * count(*) filter (where not answerable), 0) as auroc
    from placed
    group by all
),

coverages as (
    select numbers.number / 10 as coverage
    from range(1, 11) as numbers (number)
)

select
    areas.model,
    areas.form,
    areas.scorer,
    areas.encoder,
    areas.threshold,
    areas.references_name,
    coverages.coverage,
    areas.n_graded,
    areas.n_attempted,
    areas.n_attempted / areas.n_graded as attempted,
    count(*) as n,
    avg(placed.is_wrong) as risk,
    areas.auroc,
    areas.chance_risk
from areas
cross join coverages
inner join placed
    on
        areas.cohort = placed.cohort
        and areas.model = placed.model
        and areas.form = placed.form
        and areas.scorer = placed.scorer
        and areas.encoder is not distinct from placed.encoder
        and areas.threshold is not distinct from placed.threshold
        and areas.references_name is not distinct from placed.references_name
        and placed.abstained = 0
        and placed.place <= ceil(coverages.coverage * areas.n_attempted)
group by all
order by
    any_value(areas.cohort),
    areas.model,
    areas.form,
    areas.scorer,
    areas.encoder,
    areas.references_name,
    coverages.coverage
