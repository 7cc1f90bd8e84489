-- every answerable row is a partner of an unanswerable row, which has no more partners than the config allows
-- Grain: a pair_id with too many partners, or without an unanswerable row. Columns: pair_id, partners, is_there.
with partners as (
    select
        pair_id, count(*) as partners
    from corpus
    where answerable
    group by pair_id
)

select
    partners.pair_id, partners.partners,
    corpus.id is not null as is_there
from partners
left join corpus on partners.pair_id = corpus.id and not corpus.answerable
where corpus.id is null or partners.partners > $partners
order by all
