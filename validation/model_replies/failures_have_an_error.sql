-- a failed request has an error and no reply, and any other has a reply and no error
-- Grain: a row with both or neither. Columns: split, id, run, generation, error.
select
    split, id, run, generation, error
from corpus
where (generation is null) <> (coalesce(error, '') <> '') or error = ''
order by all
