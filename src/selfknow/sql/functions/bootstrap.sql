-- The 95% bootstrap interval of sum(numerator) / sum(denominator) over whole clusters, such as answers with several
-- documents. Only the two sums of a cluster matter, so clusters with equal sums are counted first:
--
-- resampling(numerators, denominators, clusters)    three lists of one length; their k-th elements say that clusters[k]
--                                                   clusters have the sums numerators[k] and denominators[k]
-- resampled_ratio(resampling, replicate, draws)     the ratio in one replicate: join with the view `bootstrap_draws`,
--                                                   and take quantiles over its 1,000 rows
-- bootstrap_low(quantile, ratio, clusters)          the interval's ends, from the 2.5% and the 97.5% quantile; null for
-- bootstrap_high(quantile, ratio, clusters)         fewer than two clusters; a ratio of exactly 0 or 1 has no spread,
--                                                   so its interval is Wilson's over clusters
--
-- Drawn with replacement, c equal clusters are drawn Poisson(c) times. In a replicate they get one weight with that
-- mean, variance and skewness: c + sqrt(c) z + (z^2 - 1) / 6, with z normal (Cornish and Fisher's expansion). So each
-- sum is one inner product. Normal draws come from the MD5 of the replicate's number and the draw's place, so the
-- interval is the same on every machine and in every version.
-- Source: Hanley and MacGibbon (2006), Creating non-parametric bootstrap samples using Poisson frequencies.
create or replace macro standard_normal(replicate, place) as (
    sqrt(-2 * ln((md5_number_lower(concat(replicate, ',', place)) + 1.0) / 18446744073709551617.0))
    * cos(2 * pi() * md5_number_upper(concat(replicate, ',', place)) / 18446744073709551616.0)
);

-- the draws z of a replicate, followed by (z^2 - 1) / 6 for each
create or replace macro replicate_draws(replicate, number) as (
    list_transform(
        [list_transform(range(1, number + 1), lambda place: standard_normal(replicate, place))],
        lambda draws: list_concat(draws, list_transform(draws, lambda draw: (draw * draw - 1) / 6))
    )[1]
);

-- the number of draws for a number of elements: 16 or 64, which the view `bootstrap_draws` has, or as many as needed
create or replace macro number_of_draws(elements) as (
    if(elements <= 16, 16, greatest(64, elements))
);

-- the factors of the draws: amounts times the square roots of clusters, then the amounts, both padded with zeros
create or replace macro draw_factors(amounts, clusters) as (
    list_concat(
        list_resize(
            list_transform(list_zip(amounts, clusters), lambda pair: pair[1] * sqrt(pair[2])),
            number_of_draws(len(clusters)),
            0.0
        ),
        list_resize(amounts::double[], number_of_draws(len(clusters)), 0.0)
    )
);

create or replace macro resampling(numerators, denominators, clusters) as (
    {
        'numerator': list_inner_product(numerators::double[], clusters::double[]),
        'denominator': list_inner_product(denominators::double[], clusters::double[]),
        'numerator_factors': draw_factors(numerators, clusters),
        'denominator_factors': draw_factors(denominators, clusters)
    }
);

create or replace macro replicate_ratio(resampling, draws) as (
    (resampling.numerator + list_inner_product(resampling.numerator_factors, draws))
    / nullif(resampling.denominator + list_inner_product(resampling.denominator_factors, draws), 0)
);

create or replace macro resampled_ratio(resampling, replicate, draws) as (
    case len(resampling.numerator_factors)
        when 32 then replicate_ratio(resampling, draws.few)
        when 128 then replicate_ratio(resampling, draws.many)
        else replicate_ratio(resampling, replicate_draws(replicate, len(resampling.numerator_factors) // 2))
    end
);

create or replace macro bootstrap_low(quantile, ratio, clusters) as (
    case
        when clusters < 2 then null
        when ratio = 0 then 0.0
        when ratio = 1 then wilson_low(clusters, clusters)
        else greatest(0, quantile)
    end
);

create or replace macro bootstrap_high(quantile, ratio, clusters) as (
    case
        when clusters < 2 then null
        when ratio = 0 then wilson_high(0, clusters)
        when ratio = 1 then 1.0
        else least(1, quantile)
    end
);
