-- Does it notice an error in its own text, or does it always say yes?
-- Source: ours, over the texts of Tan et al., Can I understand what I create?, sections 4.2 and 7.1; the measures are
-- those of signal detection (selfknow.sql.functions.normal)
-- Grain: one row per task whose replies are yes or no, generator, verifier, wording and style.
-- Columns: task, generator, verifier, wording, style; n pairs of a text and its wrong twin (protocol inconsistency: the
-- date is shifted, the answer or the relation altered); n_known (a program knows both truths), n_graded (pairs that
-- count: both replies could be read, and no program says that the text is wrong or its twin right), n_prompts (distinct
-- ones among these, the trials of the intervals); hits and hit_rate (yes to the text), false_alarms and
-- false_alarm_rate (yes to its twin; rates are (count + 0.5) / (n + 1)); d_prime, d_prime_low, d_prime_high (95%; 0:
-- the model cannot tell them apart); criterion (bias: 0 none, below 0 prone to say yes); n_yes and n_no replies with a
-- probability of yes, auroc of that, auroc_low, auroc_high (95%, Hanley and McNeil); chance_d_prime 0, chance_auroc
-- 0.5.
-- Needs: scores
--
-- The probability of yes is that of a one-word reply "yes", or 1 minus that of a one-word reply "no". Longer replies
-- have none. A failed request, or a reply that is neither yes nor no, makes no pair.
with readings_of_texts as (
    select
        { 'task': replies.task, 'generator': generator, 'verifier': verifier, 'wording': wording, 'style': style }
            as setting,
        generate_id, prompt_id, replies.stage = 'verify' as is_signal, said, truth,
        case
            when not regexp_full_match(trim(generation), '(?i)\W*(yes|no)\W*') then null
            when said = 'yes' then exp(logprob)
            when said = 'no' then 1 - exp(logprob)
        end as probability
    from self_knowledge_replies as replies
    left join calls on replies.verify_id = calls.generation_id
    left join self_knowledge_readings as readings on replies.verify_id = readings.generation_id
    where
        protocol = 'inconsistency'
        and replies.task in (
            'fact', 'math', 'theorem', 'specific-mention', 'sentiment', 'sports-statistics', 'image-position'
        )
),

pairs as (
    select
        setting, generate_id, any_value(prompt_id) as prompt_id,
        max(said) filter (where is_signal) as text_said,
        max(said) filter (where not is_signal) as twin_said,
        max(truth) filter (where is_signal) as text_truth,
        max(truth) filter (where not is_signal) as twin_truth,
        max(probability) filter (where is_signal) as of_text,
        max(probability) filter (where not is_signal) as of_twin
    from readings_of_texts
    group by all
),

counted as (
    select
        *,
        text_said in ('yes', 'no') and twin_said in ('yes', 'no')
        and coalesce(text_truth, 'yes') = 'yes' and coalesce(twin_truth, 'no') = 'no' as counts
    from pairs
),

totals as (
    select
        setting,
        count(*) as n,
        count(*) filter (where text_truth is not null and twin_truth is not null) as n_known,
        count(*) filter (where counts) as n_graded,
        count(distinct prompt_id) filter (where counts) as n_prompts,
        count(*) filter (where counts and text_said = 'yes') as hits,
        count(*) filter (where counts and twin_said = 'yes') as false_alarms,
        detection(hits, n_graded, false_alarms, n_graded, n_prompts) as detection
    from counted
    group by all
),

probabilities as (
    select *
    from counted unpivot (probability for side in (of_text, of_twin))
    where counts
),

-- Equal probabilities share the mean of their ranks.
ranked as (
    select
        *,
        rank() over (partition by setting order by probability)
        + (count(*) over (partition by setting, probability) - 1) / 2 as place
    from probabilities
),

areas as (
    select
        setting,
        count(*) filter (where side = 'of_text') as n_yes,
        count(*) filter (where side = 'of_twin') as n_no,
        auroc(sum(place) filter (where side = 'of_text'), n_yes, n_no) as auroc,
        1.959964 * auroc_error(auroc, n_yes, n_no) as margin
    from ranked
    group by all
)

select
    unnest(setting), n, n_known, n_graded, n_prompts,
    hits, detection.hit_rate, false_alarms, detection.false_alarm_rate,
    detection.d_prime, detection.d_prime_low, detection.d_prime_high, detection.criterion,
    coalesce(n_yes, 0) as n_yes, coalesce(n_no, 0) as n_no,
    auroc, greatest(0, auroc - margin) as auroc_low, least(1, auroc + margin) as auroc_high,
    0.0 as chance_d_prime, 0.5 as chance_auroc
from totals
left join areas using (setting)
order by setting
