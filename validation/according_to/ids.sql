-- an id is the row's format and prompt, and the placement is the config
-- Grain: a row whose id is not its format and prompt, or whose placement is not the config.
-- Columns: split, id, format, prompt_id, placement.
select
    split, id, format, prompt_id, placement
from corpus
where id is distinct from format || '-' || prompt_id or placement is distinct from $placement
order by all
