-- Which of two sides scores higher in a metric, on the same examples?
-- Source: paired differences and their clusters after Miller (2024), Adding error bars to evals, sections 3 and 4.2
-- (arXiv 2411.00640); matched shares after Agresti and Min (2005), Simple improved confidence intervals for comparing
-- matched proportions, Statistics in Medicine 24
-- Grain: one row.
-- Columns: metric; n (examples on both sides); n_graded (examples with a value on both sides); over these: n_clusters
-- (examples with the same pair_id are one cluster, any other example is its own), mean_a, mean_b, difference (b - a),
-- low and high (95%), n_higher_a, n_higher_b, n_equal; over all n: n_same_replies (all replies are the same texts on
-- both sides), n_other_text (the same id has another question); examples, a list with the largest differences first:
-- example_id, value_a, value_b, difference, asked (the question), reply_a, reply_b (of the first sample).
-- Parameters: metric; for each side run, model, revision and variant (null: all variants); by_variant (true: calls of
-- the same variant are paired; false: each side has one variant, and these are paired).
-- Needs: scores
--
-- Several samples of an example are averaged first, then several stages and variants. If every value is 0 or 1 and each
-- example is its own cluster, the interval is Agresti and Min's. Else it is Student's t over clusters, with the
-- cluster-robust standard error; it is null if there is no spread.
with sides as (
    select
        'a' as side, *
    from calls
    where
        run_id = $run_a and model = $model_a and revision is not distinct from $revision_a
        and coalesce(variant = $variant_a, true)
    union all
    select
        'b' as side, *
    from calls
    where
        run_id = $run_b and model = $model_b and revision is not distinct from $revision_b
        and coalesce(variant = $variant_b, true)
),

graded as (
    select
        side, example_id, stage, if($by_variant, variant, '') as variant,
        avg(value) filter (where isfinite(value)) as value,
        list(generation order by sample) as replies
    from sides
    inner join scores using (generation_id)
    where metric = $metric
    group by all
),

pairs as (
    select
        example_id,
        if(b.value is null, null, a.value) as value_a, if(a.value is null, null, b.value) as value_b,
        a.replies = b.replies as is_same, a.replies[1] as reply_a, b.replies[1] as reply_b
    from graded as a
    inner join graded as b using (example_id, stage, variant)
    where a.side = 'a' and b.side = 'b'
),

texts as (
    select
        run_id, id as example_id,
        to_json(examples) ->> 'pair_id' as pair_id,
        coalesce(
            to_json(examples) ->> 'question', to_json(examples) ->> 'prompt', to_json(examples) ->> 'generate_prompt'
        ) as asked
    from examples
    where run_id in ($run_a, $run_b)
),

by_example as (
    select
        pairs.example_id,
        coalesce(any_value(texts.pair_id), pairs.example_id) as cluster,
        any_value(texts.asked) as asked,
        coalesce(any_value(texts.asked), '') != coalesce(any_value(others.asked), '') as is_other_text,
        bool_and(is_same) as is_same,
        avg(value_a) as value_a, avg(value_b) as value_b, avg(value_b) - avg(value_a) as difference,
        first(reply_a) as reply_a, first(reply_b) as reply_b
    from pairs
    left join texts on pairs.example_id = texts.example_id and texts.run_id = $run_a
    left join texts as others on pairs.example_id = others.example_id and others.run_id = $run_b
    group by pairs.example_id
),

totals as (
    select
        count(*) as n, count(difference) as n_graded,
        count(distinct cluster) filter (where difference is not null) as n_clusters,
        avg(value_a) as mean_a, avg(value_b) as mean_b, avg(difference) as difference,
        count(*) filter (where difference < 0) as n_higher_a,
        count(*) filter (where difference > 0) as n_higher_b,
        count(*) filter (where difference = 0) as n_equal,
        count(*) filter (where is_same) as n_same_replies,
        count(*) filter (where is_other_text) as n_other_text,
        bool_and(value_a in (0, 1) and value_b in (0, 1)) filter (where difference is not null) as is_share,
        list(
            {
                'example_id': example_id,
                'value_a': value_a, 'value_b': value_b, 'difference': difference,
                'asked': asked, 'reply_a': reply_a, 'reply_b': reply_b
            } order by abs(difference) desc, example_id
        ) filter (where difference != 0) as examples
    from by_example
),

cluster_sums as (
    select sum(by_example.difference - totals.difference) as deviation
    from by_example
    cross join totals
    where by_example.difference is not null
    group by cluster
),

squares as (
    select sum(power(deviation, 2)) as squares
    from cluster_sums
),

spreads as (
    select
        *,
        -- the cluster-robust standard error, corrected for the number of clusters, times Student's t
        sqrt(squares * n_clusters / nullif(n_clusters - 1, 0)) / n_graded
        * if(n_clusters = 2, 12.706205, t_quantile(greatest(2, n_clusters - 1))) as margin
    from totals
    cross join squares
),

intervals as (
    select
        *,
        case
            when n_graded = 0 then null
            when is_share and n_clusters = n_graded
                then paired_difference(n_higher_b - n_higher_a, n_higher_a + n_higher_b, n_graded)
            when margin > 0 then {
                'difference': difference,
                'difference_low': difference - margin, 'difference_high': difference + margin
            }
        end as paired
    from spreads
)

select
    $metric as metric, n, n_graded, n_clusters, mean_a, mean_b,
    difference, paired.difference_low as low, paired.difference_high as high,
    n_higher_a, n_higher_b, n_equal, n_same_replies, n_other_text,
    coalesce(examples, []) as examples
from intervals
