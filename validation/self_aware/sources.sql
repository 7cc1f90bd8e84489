-- answerable rows name their kind, the check of their answer and their difficulty; all rows name writer and judge
-- Grain: an answerable row with an unknown kind or difficulty or without a check, an unanswerable one with a
-- difficulty, or a row without a writer or a judge. Columns: split, id, source, difficulty, written_by, judged_by.
select
    split, id, source, difficulty, written_by, judged_by
from corpus
where
    coalesce(written_by, '') = ''
    or coalesce(judged_by, '') = ''
    or (answerable and (len(string_split(source, '/')) <> 2 or not list_contains($kinds, split_part(source, '/', 1))))
    or answerable <> coalesce(list_contains($difficulties, difficulty), false)
order by all
