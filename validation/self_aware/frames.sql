-- there are at least 300 frames, each used at most six times
-- Grain: a frame that is used too often or lacks the prefix frame/; or, with frame null, all frames if too few.
-- Columns: split, frame, number (of questions; of frames if frame is null).
with frames as (
    select
        any_value(split) as split,
        source as frame, count(*) as number
    from corpus
    where not answerable
    group by source
)

select
    split, frame, number
from frames
where number > $most_of_a_frame or not starts_with(frame, 'frame/')
union all
select
    'unanswerable' as split,
    null as frame, count(*) as number
from frames
having count(*) < $fewest_frames
order by all
