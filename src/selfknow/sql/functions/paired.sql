-- Differences over matched pairs:
--
-- paired_difference(change, squares, n)   the difference of two shares over n pairs; change and squares are the sums of
--                                         the pairs' differences and of their squares. A struct of difference,
--                                         difference_low, difference_high (95%); null without a pair
-- mean_interval(value)                    the mean of differences of any size, an aggregate: a struct of n, mean, low,
--                                         high (95%, Student's t; null for fewer than three)
--
-- Source: Agresti and Min (2005), Simple improved confidence intervals for comparing matched proportions: half a pair
-- is added to each of the four kinds, so that the interval's centre lies nearer to 0 than the difference.
create or replace macro paired_center(change, n) as (change / (n + 2));

create or replace macro paired_margin(change, squares, n) as (
    1.959964 * sqrt((squares + 1) - power(change, 2) / (n + 2)) / (n + 2)
);

create or replace macro paired_difference(change, squares, n) as (
    {
        'difference': change / nullif(n, 0),
        'difference_low': if(
            n > 0, greatest(-1, paired_center(change, n) - paired_margin(change, squares, n)), null
        ),
        'difference_high': if(
            n > 0, least(1, paired_center(change, n) + paired_margin(change, squares, n)), null
        )
    }
);

create or replace macro mean_interval(value) as (
    {
        'n': count(value),
        'mean': avg(value),
        'low': if(
            count(value) > 2,
            avg(value) - t_quantile(greatest(2, count(value) - 1)) * stddev_samp(value) / sqrt(count(value)),
            null
        ),
        'high': if(
            count(value) > 2,
            avg(value) + t_quantile(greatest(2, count(value) - 1)) * stddev_samp(value) / sqrt(count(value)),
            null
        )
    }
);
