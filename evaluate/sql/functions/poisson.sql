-- poisson_weight(replicate, cluster): how often a replicate of the bootstrap takes a cluster, Poisson with mean 1.
-- The draw comes from MD5 of both names, which is the seed: the same on every machine and in every version.
-- Source: Hanley and MacGibbon (2006), Creating non-parametric bootstrap samples using Poisson frequencies.
create or replace macro poisson_quantile(uniform) as (
    case
        when uniform < 0.367879 then 0
        when uniform < 0.735759 then 1
        when uniform < 0.919699 then 2
        when uniform < 0.981012 then 3
        when uniform < 0.996340 then 4
        when uniform < 0.999406 then 5
        when uniform < 0.999917 then 6
        else 7
    end
);

create or replace macro poisson_weight(replicate, cluster) as (
    poisson_quantile(md5_number_lower(concat(replicate, ',', cluster)) / 18446744073709551616.0)
);
