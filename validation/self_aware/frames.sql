-- there are 300 frames or more, none used more than six times
-- Grain: a frame that more unanswerable questions were made from than allowed, and all of them (frame null) when they
-- are too few. Columns: split, frame, found.
with frames as (
    select
        any_value(split) as split,
        source as frame, count(*) as found
    from corpus
    where not answerable
    group by source
)

select
    split, frame, found
from frames
where found > $most_of_a_frame or not starts_with(frame, 'frame/')
union all
select
    'unanswerable' as split,
    null as frame, count(*) as found
from frames
having count(*) < $fewest_frames
order by all
