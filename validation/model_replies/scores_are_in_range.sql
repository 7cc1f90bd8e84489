-- a score is a share of 1, of documents and sentences a number, or null with its reason
-- Grain: a score that is neither. Columns: id, metric, score, reason.
-- A share that is corrected for a portrait's false hits (at most 1 in 100) is not cut off at 0.
with scored as (
    select
        id,
        unnest(metrics) as metric,
        unnest(scores) as score,
        unnest(reasons) as reason
    from corpus
)

select
    id, metric, score, reason
from scored
where
    coalesce(metric, '') = ''
    or not coalesce(
        if(
            regexp_matches(metric, '^(documents|sentences)_'),
            score >= 0 and score = floor(score),
            score between if(ends_with(metric, '_corrected'), -0.01, 0) and 1
        ),
        true
    )
    or isnan(score)
    or (score is null and coalesce(reason, '') = '')
order by all
