-- a score is a share of 1, a number of documents or sentences, log odds, or null with a reason
-- Grain: any other score. Columns: id, metric, score, reason.
-- A share that is corrected for a portrait's false hits (at most 1 in 100) may be slightly below 0.
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
        case
            when ends_with(metric, '_log_odds') then isfinite(score)
            when regexp_matches(metric, '^(documents|sentences|probe_documents)_')
                then score >= 0 and score = floor(score)
            else score between if(ends_with(metric, '_corrected'), -0.01, 0) and 1
        end,
        true
    )
    or isnan(score)
    or (score is null and coalesce(reason, '') = '')
order by all
