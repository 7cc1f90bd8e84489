-- bootstrap_draws: the random numbers of the bootstrap, the same on every machine.
-- Grain: one row per replicate, 1,000 in all.
-- Columns: replicate; draws: a struct of few and many, which hold 16 and 64 standard normal draws z, then
-- (z^2 - 1) / 6 for each (see functions/bootstrap.sql). The 16 are the first of the 64.
create or replace view bootstrap_draws as
select
    numbers.replicate::integer as replicate,
    {
        'few': replicate_draws(numbers.replicate, 16),
        'many': replicate_draws(numbers.replicate, 64)
    } as draws
from range(1000) as numbers (replicate);
