-- The 95% interval of a mean over n questions, as a struct of low and high:
--
-- score_interval(metric, ends, score, n)       Wilson's if the metric is 0 or 1 for every question, else the next one
-- resampled_interval(metric, ends, score, n)   the ends of a bootstrap over questions (`percentiles`); Wilson's if the
--                                              score is exactly 0 or 1; null for fewer than two questions.
--                                              quip_corrected may be below 0, so its ends are never replaced
create or replace macro is_yes_or_no(metric) as (metric in ('exact_match', 'has_explanation', 'whole_word_match'));

create or replace macro resampled_interval(metric, ends, score, n) as (
    if(metric = 'quip_corrected', if(n > 1, ends, null), bootstrap_interval(ends, score, n))
);

create or replace macro score_interval(metric, ends, score, n) as (
    if(is_yes_or_no(metric), wilson(score * n, n), resampled_interval(metric, ends, score, n))
);
