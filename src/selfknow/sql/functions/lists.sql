-- Functions over long lists of numbers. In a connection of this package, NumPy computes them
-- (src/selfknow/sql/list_functions.py); these macros are for other clients of DuckDB. All numbers are finite.
--
-- means_by_place(places, numbers, length)   a list of this length: the k-th element is the mean of the numbers whose
--                                           place is k (from 1); null if there is none. Null numbers count as none
-- weighted_means(lists, weights)            two lists of lists, all of one length: for each list of numbers the list of
--                                           its means with each list of weights. Null numbers count as none; a mean
--                                           without a number of weight is null
-- paired_means(scores, null_places, weights, signs)
--                                           for each list of scores a struct of means over pairs of a score and a
--                                           null score, both not null. Its null scores are the list of scores at
--                                           its null place (from 1; 0 if there is none). n_pairs; null_score, score,
--                                           difference (means); differences (means with each list of weights),
--                                           relative_changes (their sums divided by those of the null scores),
--                                           flipped (means of the differences times each list of signs)
create or replace macro means_by_place(places, numbers, length) as (
    (
        select list(mean order by place)
        from (
            select place, avg(number) as mean
            from (
                select unnest(range(1, length + 1)) as place, null::double as number
                union all
                select unnest(places), unnest(numbers)
            ) as numbers_and_gaps
            group by place
        ) as means
    )
);

create or replace macro weighted_sums(numbers, weights) as (
    list_transform(
        [list_transform(numbers, lambda number: coalesce(number, 0)::double)],
        lambda values_or_zero: list_transform(
            weights, lambda factors: list_inner_product(values_or_zero, factors::double[])
        )
    )[1]
);

create or replace macro ratios(numerators, denominators) as (
    list_transform(list_zip(numerators, denominators), lambda pair: pair[1] / nullif(pair[2], 0))
);

create or replace macro weighted_means(lists, weights) as (
    list_transform(
        lists,
        lambda numbers: ratios(
            weighted_sums(numbers, weights),
            weighted_sums(list_transform(numbers, lambda number: (number is not null)::integer), weights)
        )
    )
);

create or replace macro means_of_pairs(changes, null_scores, scores, weights, signs) as (
    {
        'n_pairs': list_count(changes)::bigint,
        'null_score': list_avg(null_scores),
        'score': list_avg(scores),
        'difference': list_avg(changes),
        'differences': weighted_means([changes], weights)[1],
        'relative_changes': ratios(weighted_sums(changes, weights), weighted_sums(null_scores, weights)),
        'flipped': list_transform(
            weighted_sums(changes, signs), lambda total: total / nullif(list_count(changes), 0)
        )
    }
);

create or replace macro paired_means(scores, null_places, weights, signs) as (
    list_transform(
        list_transform(
            list_zip(scores, list_transform(null_places, lambda place: scores[place])),
            lambda two_lists: list_zip(two_lists[1], two_lists[2])
        ),
        lambda pairs: means_of_pairs(
            list_transform(pairs, lambda pair: pair[1] - pair[2]),
            list_transform(pairs, lambda pair: if(pair[1] is null, null, pair[2])),
            list_transform(pairs, lambda pair: if(pair[2] is null, null, pair[1])),
            weights,
            signs
        )
    )
);
