-- poisson_weight(replicate, cluster): the number of times that a replicate of the bootstrap draws a cluster, Poisson
-- with mean 1.
-- random_numbers(replicate, clusters): one number from 0 to 2^128 for each cluster of a list.
-- For a list of such numbers: poisson_weights(numbers) is the list of their weights; random_signs(numbers) is a list of
-- 1 and -1 with equal chance.
-- A draw comes from the MD5 of replicate and cluster, so it is the same on every machine and in every version.
-- Source: Hanley and MacGibbon (2006), Creating non-parametric bootstrap samples using Poisson frequencies.
create or replace macro poisson_quantile(uniform) as (
    case
        when uniform < 0.36787944117144233 then 0
        when uniform < 0.7357588823428847 then 1
        when uniform < 0.9196986029286058 then 2
        when uniform < 0.9810118431238462 then 3
        when uniform < 0.9963401531726563 then 4
        when uniform < 0.9994058151824183 then 5
        when uniform < 0.999916758850712 then 6
        when uniform < 0.9999897508033253 then 7
        else 8
    end
);

create or replace macro poisson_weight(replicate, cluster) as (
    poisson_quantile(md5_number_lower(concat(replicate, ',', cluster)) / 18446744073709551616.0)
);

create or replace macro random_numbers(replicate, clusters) as (
    list_transform(clusters, lambda cluster: md5_number(concat(replicate, ',', cluster)))
);

create or replace macro poisson_weights(numbers) as (
    list_transform(
        list_transform(numbers, lambda number: number::double / pow(2, 128)),
        lambda uniform: poisson_quantile(uniform)::tinyint
    )
);

create or replace macro random_signs(numbers) as (
    list_transform(numbers, lambda number: if(number & 1 = 0, 1, -1)::tinyint)
);
