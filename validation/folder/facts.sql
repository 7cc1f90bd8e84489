-- Grain: a fact about a file or a field of a dataset folder that is not as it should be.
-- Columns: config and split (null where it is about neither), subject, expected and found (null for nothing).
select
    config, split, subject, expected, found
from batch
where expectation = $expectation and expected is distinct from found
order by all
