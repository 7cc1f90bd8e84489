-- answerable rows name a kind, what confirms the answer and how hard it is; every row says who wrote and judged it
-- Grain: an answerable row whose source is not a kind and what confirms it, or whose difficulty is none; or a row that
-- does not say who wrote or judged it. Columns: split, id, source, difficulty, written_by, judged_by.
select
    split, id, source, difficulty, written_by, judged_by
from corpus
where
    coalesce(written_by, '') = ''
    or coalesce(judged_by, '') = ''
    or (answerable and (len(string_split(source, '/')) <> 2 or not list_contains($kinds, split_part(source, '/', 1))))
    or answerable <> coalesce(list_contains($difficulties, difficulty), false)
order by all
