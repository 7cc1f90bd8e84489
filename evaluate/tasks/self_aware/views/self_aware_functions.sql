-- f1(true_positives, predicted, positives): F1 of a prediction, from numbers of items.
-- within_stratum(amount, weight): an aggregate over the pairs of a stratum: the amount in a draw, scaled to the
-- stratum's size; if the draw takes no pair, the amount of all pairs.
create or replace macro f1(true_positives, predicted, positives) as (
    2 * true_positives / nullif(predicted + positives, 0)
);

create or replace macro within_stratum(amount, weight) as (
    if(sum(weight) > 0, sum(amount * weight) / (sum(weight) / count(*)), sum(amount))
);
