-- a run has the number of replies that the manifest lists
-- Grain: a run with a different number of replies. Columns: run, listed_replies, replies.
with counted as (
    select
        run_id, count(*) as replies
    from generations
    group by run_id
)

select
    described.run, described.listed_replies,
    coalesce(counted.replies, 0) as replies
from described
left join counted on described.run_id = counted.run_id
where described.listed_replies <> coalesce(counted.replies, 0)
order by all
