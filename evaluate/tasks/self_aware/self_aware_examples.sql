-- What do replies look like, and how was each of them read?
-- Source: the generations themselves
-- Grain: one row per reply: six for every model, form and outcome, those whose ids have the smallest MD5.
-- Columns: cohort, model, form, scorer (sentences if there is one, else strict, else the first); outcome (abstains or
-- answers, rightly or wrongly, or unknown), is_right (null if unknown), n (replies of the model and form with this
-- outcome); generation_id, question, answers, answerable, category, prompt, generation, error, kind, hedged, evidence
-- (the sentence that decided the reading), reason. These are examples, not estimates.
-- Needs: scores
with readings as (
    select *
    from self_aware_replies
    qualify dense_rank() over (
        partition by cohort, model, form
        order by
            scorer = 'sentences' desc, scorer = 'strict' desc,
            scorer asc, encoder asc, references_name asc, threshold asc
    ) = 1
),

outcomes as (
    select
        *,
        case
            when failed then 'the request failed'
            when kind in ('refuses', 'unreadable') then if(kind = 'refuses', 'refuses', 'could not be read')
            when abstained is null then 'could not be read'
            when abstained = 1 and not answerable then 'abstains rightly'
            when abstained = 1 then 'abstains, though there is an answer'
            when not answerable then 'answers what nobody can answer'
            when whole_word_match = 1 then 'answers rightly'
            when whole_word_match = 0 then 'answers wrongly'
            else 'answers; nobody can say whether rightly'
        end as outcome
    from readings
),

chosen as (
    select
        cohort, model, form, outcome, count(*) as n,
        unnest(arg_min(generation_id, md5(generation_id), 6)) as generation_id
    from outcomes
    group by cohort, model, form, outcome
)

select
    cohort, model, form, scorer, outcome,
    case
        when outcome in ('abstains rightly', 'answers rightly') then true
        when starts_with(outcome, 'abstains,') or outcome in ('answers wrongly', 'answers what nobody can answer')
            then false
    end as is_right,
    n, generation_id, question, answers, outcomes.answerable, outcomes.category,
    prompt, generation, error, kind, hedged, evidence, outcomes.reason
from chosen
inner join outcomes using (cohort, model, form, outcome, generation_id)
inner join generations using (generation_id)
inner join self_aware_questions as questions
    on outcomes.run_id = questions.run_id and outcomes.example_id = questions.id
order by
    cohort asc, model asc, form asc, outcomes.answerable asc, is_right asc nulls last,
    outcome asc, md5(generation_id) asc
