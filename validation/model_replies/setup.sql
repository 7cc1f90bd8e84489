-- What the queries share. The rows of the config are the view `corpus`; `generations` and `scores` are the files of its
-- runs. The table `described` is a row a run: what its run.json and its examples say, and what the manifest lists.
create temp table described as
with listed as (select unnest($runs) as run)

select unnest(run)
from listed;
