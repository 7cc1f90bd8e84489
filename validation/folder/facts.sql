-- Grain: a fact about a file or a field of a dataset folder whose actual value is not the expected one.
-- Columns: config and split (null if the fact concerns neither), subject, expected and actual (null for nothing).
select
    config, split, subject, expected, actual
from batch
where expectation = $expectation and expected is distinct from actual
order by all
