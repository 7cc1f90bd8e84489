-- Shares with bootstrap intervals over whole clusters (functions/bootstrap.sql), in one step:
--
-- clustered_share(numerator, denominator)   sum(numerator) / sum(denominator), an aggregate over rows of one cluster
--                                           each: a struct of n_clusters, share, low and high (95%). A cluster with a
--                                           null denominator is left out
-- resampled_share(kinds)                    the same from a list of structs: numerator, denominator, and clusters (the
--                                           number of clusters with these two sums)
-- percentiles(value)                        the 2.5% and 97.5% quantiles of a value over the replicates, an aggregate:
--                                           a struct of low and high
-- list_percentiles(replicates)              the same of a list of replicates
-- bootstrap_interval(ends, ratio, clusters) `bootstrap_low` and `bootstrap_high` of these quantiles: a struct of low
--                                           and high
create or replace macro percentiles(value) as (
    list_transform(
        [quantile_cont(value, [0.025, 0.975])], lambda ends: { 'low': ends[1], 'high': ends[2] }
    )[1]
);

create or replace macro list_percentiles(replicates) as (
    list_transform(
        [list_aggregate(replicates, 'quantile_cont', [0.025, 0.975])], lambda ends: { 'low': ends[1], 'high': ends[2] }
    )[1]
);

create or replace macro bootstrap_interval(ends, ratio, clusters) as (
    { 'low': bootstrap_low(ends.low, ratio, clusters), 'high': bootstrap_high(ends.high, ratio, clusters) }
);

create or replace macro share_of_clusters(ends, ratio, clusters) as (
    {
        'n_clusters': clusters,
        'share': ratio,
        'low': bootstrap_low(ends.low, ratio, clusters),
        'high': bootstrap_high(ends.high, ratio, clusters)
    }
);

create or replace macro resampled_share(kinds) as (
    select
        share_of_clusters(
            percentiles(resampled_ratio(sums.resampling, bootstrap_draws.replicate, bootstrap_draws.draws)),
            any_value(sums.resampling.numerator / nullif(sums.resampling.denominator, 0)),
            any_value(sums.n_clusters)
        )
    from
        (
            select
                resampling(
                    list_transform(kinds, lambda kind: kind.numerator),
                    list_transform(kinds, lambda kind: kind.denominator),
                    list_transform(kinds, lambda kind: kind.clusters)
                ) as resampling,
                coalesce(list_sum(list_transform(kinds, lambda kind: kind.clusters)), 0)::bigint as n_clusters
        ) as sums
    cross join bootstrap_draws
);

create or replace macro clustered_share(numerator, denominator) as (
    resampled_share(
        list_transform(
            map_entries(
                histogram(if(denominator is null, null, { 'denominator': denominator, 'numerator': numerator }))
            ),
            lambda kind: {
                'numerator': kind.key.numerator, 'denominator': kind.key.denominator, 'clusters': kind.value
            }
        )
    )
);
