-- Does a prompt make a model quote more at the same length of reply, and in longer pieces?
-- Source: ours; Weller et al., "According to ...", compare QUIP alone, whose texts differ in length
-- Grain: one row per run, model and prompt except the null prompt.
-- Columns: dataset, model_label, num_parameters, run_id, prompt, kind; n questions, n_pairs (questions with a QUIP
-- under both prompts; all further columns are over these pairs); null_characters and characters (mean length of the
-- measured text); null_quip, quip, difference; adjusted_difference (the difference at equal length: the intercept of a
-- least-squares line through the pairs' differences in QUIP over those in log length), adjusted_low, adjusted_high,
-- slope (of that line, per unit of log length); null_longest_quote and longest_quote (mean length of the longest quoted
-- span in characters), longest_difference, longest_low, longest_high (95%, Student's t). chance_difference: 0.
-- Needs: scores, portrait corpus
with measured as (
    select
        run_id, model, revision, example_id, prompt,
        avg(ln(len(text))) as log_length,
        avg(len(text)) as characters,
        avg(quip(text, 'corpus')) as quip,
        avg(coalesce(list_max(list_transform(quoted(text, 'corpus'), lambda span: len(span))), 0)) as longest_quote
    from according_to_explanations
    where quip(text, 'corpus') is not null
    group by all
),

plain as (
    select *
    from measured
    where prompt = 'null'
),

asked as (
    select distinct
        dataset, model_label, num_parameters, run_id, model, revision, prompt, kind, place, example_id
    from according_to_replies
    where prompt <> 'null'
),

pairs as (
    select
        asked.*,
        prompted.characters, prompted.quip, prompted.longest_quote,
        plain.characters as null_characters, plain.quip as null_quip, plain.longest_quote as null_longest_quote,
        prompted.quip - plain.quip as change,
        prompted.log_length - plain.log_length as length_change,
        prompted.longest_quote - plain.longest_quote as longest_change
    from asked
    left join measured as prompted using (run_id, model, revision, example_id, prompt)
    left join plain using (run_id, model, revision, example_id)
),

totals as (
    select
        dataset, model_label, num_parameters, run_id, model, revision, prompt, kind, place,
        count(*) as n, count(change) as n_pairs,
        avg(null_characters) filter (where change is not null) as null_characters,
        avg(characters) filter (where change is not null) as characters,
        avg(null_quip) filter (where change is not null) as null_quip,
        avg(quip) filter (where change is not null) as quip,
        avg(change) as difference,
        regr_intercept(change, length_change) as intercept,
        regr_slope(change, length_change) as slope,
        regr_syy(change, length_change) as spread,
        regr_sxx(change, length_change) as length_spread,
        regr_sxy(change, length_change) as together,
        avg(length_change) as length_change,
        avg(null_longest_quote) filter (where change is not null) as null_longest_quote,
        avg(longest_quote) filter (where change is not null) as longest_quote,
        mean_interval(longest_change) as longest
    from pairs
    group by all
),

-- If no pair differs in length, the adjusted difference is the plain one.
adjusted as (
    select
        *,
        if(length_spread > 0, intercept, difference) as adjusted_difference,
        if(
            n_pairs >= 4 and length_spread > 0,
            t_quantile(greatest(2, n_pairs - 2)) * sqrt(
                greatest(0, spread - together * together / length_spread) / (n_pairs - 2)
                * (1 / n_pairs + length_change * length_change / length_spread)
            ),
            null
        ) as margin
    from totals
)

select
    dataset, model_label, num_parameters, run_id, prompt, kind, n, n_pairs, null_characters, characters,
    null_quip, quip, difference, adjusted_difference,
    adjusted_difference - margin as adjusted_low, adjusted_difference + margin as adjusted_high,
    if(length_spread > 0, slope, null) as slope,
    null_longest_quote, longest_quote,
    longest.mean as longest_difference, longest.low as longest_low, longest.high as longest_high,
    0.0 as chance_difference
from adjusted
order by dataset, model_label, num_parameters, run_id, place
