-- a row's metrics, scores and reasons are those of its run, and every score belongs to a row
-- Grain: a score in only the row or only the run. Columns: id, metric, score, reason, place.
with of_rows as (
    select
        id,
        unnest(metrics) as metric,
        unnest(scores) as score,
        unnest(reasons) as reason
    from corpus
),

of_runs as (
    select
        generation_id as id, metric, value as score, reason
    from scores
),

in_the_row_alone as (
    select * from of_rows
    except all
    select * from of_runs
),

in_the_run_alone as (
    select * from of_runs
    except all
    select * from of_rows
)

select
    id, metric, score, reason,
    'in the row alone' as place
from in_the_row_alone
union all
select
    id, metric, score, reason,
    'in the run alone' as place
from in_the_run_alone
order by all
