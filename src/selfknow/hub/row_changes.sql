-- Grain: one row. Counts of a split's rows that differ from those on the Hub, matched by id.
-- Columns: rows_added, rows_removed, rows_changed (bigint).
-- Reads: local_rows, served_rows (any columns, with id: unique and never null).
-- Rows are compared by a 64-bit hash of all columns, so an extra or missing column is a change, not an error.
with ours as (
    select id, hash(local_rows) as row_hash from local_rows
),

served as (
    select id, hash(served_rows) as row_hash from served_rows
)

select
    count(*) filter (where served.id is null) as rows_added,
    count(*) filter (where ours.id is null) as rows_removed,
    count(*) filter (where ours.row_hash <> served.row_hash) as rows_changed
from ours
full join served on ours.id = served.id
