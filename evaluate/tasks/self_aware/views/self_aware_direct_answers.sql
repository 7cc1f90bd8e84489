-- self_aware_direct_answers: the share of a model's direct answers to each answerable question that are right.
-- Grain: one row per setting of the form direct and a question.
-- Columns: setting (see `self_aware_replies`), example_id; n_samples, share_right (an abstaining reply is not right).
create or replace view self_aware_direct_answers as
select
    setting, example_id,
    count(*) as n_samples,
    avg(coalesce(whole_word_match, 0) * (1 - coalesce(abstained, 0))) as share_right
from self_aware_replies
where form = 'direct' and answerable and not failed
group by all;
