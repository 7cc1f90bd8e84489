-- wilson_low(successes, n), wilson_high(successes, n): the 95% interval of a share of independent trials.
-- Null without a trial. `successes` need not be whole: with several samples per question it is the sum of the
-- questions' own shares, and n is the number of questions.
-- Source: Wilson (1927), Probable inference, the law of succession, and statistical inference. 1.959964 is the 97.5%
-- quantile of the normal distribution.
create or replace macro wilson_center(successes, n) as (
    (successes + power(1.959964, 2) / 2) / (n + power(1.959964, 2))
);

create or replace macro wilson_margin(successes, n) as (
    1.959964 * sqrt(greatest(0, successes * (n - successes)) / n + power(1.959964, 2) / 4)
    / (n + power(1.959964, 2))
);

create or replace macro wilson_low(successes, n) as (
    case
        when n > 0 and successes > 0 then wilson_center(successes, n) - wilson_margin(successes, n)
        when n > 0 then 0.0
    end
);

create or replace macro wilson_high(successes, n) as (
    case
        when n > 0 and successes < n then wilson_center(successes, n) + wilson_margin(successes, n)
        when n > 0 then 1.0
    end
);

-- wilson(successes, n): both ends as a struct of low and high.
create or replace macro wilson(successes, n) as (
    { 'low': wilson_low(successes, n), 'high': wilson_high(successes, n) }
);
