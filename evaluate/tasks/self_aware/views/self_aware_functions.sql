-- f1(rightly, called, positives): F1 where `called` are called positive, `rightly` of them are, and there are so many
-- positives in all.
-- within_stratum(amount, weight): an aggregate over the pairs of a stratum: the amount that a draw takes, weighted to
-- the stratum's size; of a draw that takes no pair the amount of all.
create or replace macro f1(rightly, called, positives) as (2 * rightly / nullif(called + positives, 0));

create or replace macro within_stratum(amount, weight) as (
    if(sum(weight) > 0, sum(amount * weight) / (sum(weight) / count(*)), sum(amount))
);
