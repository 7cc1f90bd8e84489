-- Does it notice an error in its own text, or does it always say yes?
-- Source: ours, over the texts of Tan et al., Can I understand what I create?, sections 4.2 and 7.1; the measures are
-- those of signal detection (selfknow.sql.functions.normal)
-- Grain: one row a task whose replies are yes or no, generator, verifier, wording and style.
-- Columns: task, generator, verifier, wording, style; n texts that were asked about as they are and with their wrong
-- twin (the date shifted, the answer or the relation altered: protocol inconsistency); n_known (a program knows both
-- truths), n_graded (pairs that count: both replies could be read, and no program says that the text was wrong itself
-- or its twin right), n_prompts (distinct ones among these, the trials of the intervals); hits and hit_rate (yes to the
-- text), false_alarms and false_alarm_rate (yes to its twin; rates are (count + 0.5) / (n + 1)); d_prime, d_prime_low,
-- d_prime_high (95%; 0: cannot tell); criterion (bias: 0 none, below 0 prone to say yes); n_yes and n_no replies with a
-- probability of yes, auroc of that, auroc_low, auroc_high (95%, Hanley and McNeil); chance_d_prime 0, chance_auroc
-- 0.5.
-- Needs: scores
--
-- The probability of yes is read from the log-probability of a reply that is one word, yes or no: exp of it, or for no
-- what that leaves. Longer replies have none. A failed request, or a reply that is neither, makes no pair.
with said as (
    select
        replies.task,
        replies.generator,
        replies.verifier,
        replies.wording,
        replies.style,
        replies.generate_id,
        replies.prompt_id,
        replies.stage = 'verify' as is_signal,
        readings.said,
        readings.truth,
        case
            when not regexp_full_match(trim(calls.generation), '(?i)\W*(yes|no)\W*') then null
            when readings.said = 'yes' then exp(calls.logprob)
            when readings.said = 'no' then 1 - exp(calls.logprob)
        end as probability_of_yes
    from self_knowledge_replies as replies
    left join calls on replies.verify_id = calls.generation_id
    left join self_knowledge_readings as readings on replies.verify_id = readings.generation_id
    where
        replies.protocol = 'inconsistency'
        and replies.task in (
            'fact', 'math', 'theorem', 'specific-mention', 'sentiment', 'sports-statistics', 'image-position'
        )
),

pairs as (
    select
        task,
        generator,
        verifier,
        wording,
        style,
        generate_id,
        any_value(prompt_id) as prompt_id,
        max(said) filter (where is_signal) as said_of_text,
        max(said) filter (where not is_signal) as said_of_twin,
        max(truth) filter (where is_signal) as truth_of_text,
        max(truth) filter (where not is_signal) as truth_of_twin,
        max(probability_of_yes) filter (where is_signal) as of_text,
        max(probability_of_yes) filter (where not is_signal) as of_twin
    from said
    group by all
),

counted as (
    select
        *,
        said_of_text in ('yes', 'no') and said_of_twin in ('yes', 'no')
        and coalesce(truth_of_text, 'yes') = 'yes' and coalesce(truth_of_twin, 'no') = 'no' as counts
    from pairs
),

totals as (
    select
        task,
        generator,
        verifier,
        wording,
        style,
        count(*) as n,
        count(*) filter (where truth_of_text is not null and truth_of_twin is not null) as n_known,
        count(*) filter (where counts) as n_graded,
        count(distinct prompt_id) filter (where counts) as n_prompts,
        count(*) filter (where counts and said_of_text = 'yes') as hits,
        count(*) filter (where counts and said_of_twin = 'yes') as false_alarms
    from counted
    group by all
),

measured as (
    select
        *,
        detection(hits, n_graded, false_alarms, n_graded, n_prompts) as told
    from totals
),

probabilities as (
    select
        task,
        generator,
        verifier,
        wording,
        style,
        true as is_signal,
        of_text as probability
    from counted
    where counts and of_text is not null
    union all
    select
        task,
        generator,
        verifier,
        wording,
        style,
        false as is_signal,
        of_twin as probability
    from counted
    where counts and of_twin is not null
),

-- Equal probabilities share the mean of their ranks.
ranked as (
    select
        *,
        rank() over (partition by task, generator, verifier, wording, style order by probability)
        + (count(*) over (partition by task, generator, verifier, wording, style, probability) - 1) / 2 as place
    from probabilities
),

areas as (
    select
        task,
        generator,
        verifier,
        wording,
        style,
        count(*) filter (where is_signal) as n_yes,
        count(*) filter (where not is_signal) as n_no,
        auroc(
            sum(place) filter (where is_signal),
            count(*) filter (where is_signal),
            count(*) filter (where not is_signal)
        ) as area
    from ranked
    group by all
)

select
    measured.task,
    measured.generator,
    measured.verifier,
    measured.wording,
    measured.style,
    measured.n,
    measured.n_known,
    measured.n_graded,
    measured.n_prompts,
    measured.hits,
    measured.told.hit_rate,
    measured.false_alarms,
    measured.told.false_alarm_rate,
    measured.told.d_prime,
    measured.told.d_prime_low,
    measured.told.d_prime_high,
    measured.told.criterion,
    coalesce(areas.n_yes, 0) as n_yes,
    coalesce(areas.n_no, 0) as n_no,
    areas.area as auroc,
    greatest(0, areas.area - 1.959964 * auroc_error(areas.area, areas.n_yes, areas.n_no)) as auroc_low,
    least(1, areas.area + 1.959964 * auroc_error(areas.area, areas.n_yes, areas.n_no)) as auroc_high,
    0.0 as chance_d_prime,
    0.5 as chance_auroc
from measured
left join areas
    on
        measured.task = areas.task
        and measured.generator = areas.generator
        and measured.verifier = areas.verifier
        and measured.wording = areas.wording
        and measured.style = areas.style
order by measured.task, measured.generator, measured.verifier, measured.wording, measured.style
