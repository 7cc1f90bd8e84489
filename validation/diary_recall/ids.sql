-- an id is the row's kind, the diarist's number and, in a standard document, the entry
-- Grain: a row whose id does not fit its columns. Columns: split, id, kind, entry.
select
    split, id, kind, entry
from corpus
where
    not coalesce(regexp_full_match(id, '(document|question)-[0-9]{8}(-[1-9][0-9]*)?'), false)
    or split_part(id, '-', 1) is distinct from kind
    or split_part(id, '-', 3) is distinct from coalesce(entry::varchar, '')
order by all
