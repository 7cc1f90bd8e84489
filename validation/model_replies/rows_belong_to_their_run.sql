-- a row names a run of its config, and has that run's id, model and question set
-- Grain: a row that does not fit its run. Columns: split, id, run, model, question_set.
select
    corpus.split, corpus.id, corpus.run, corpus.model, corpus.question_set
from corpus
left join described on corpus.run = described.run
where
    described.run is null
    or not starts_with(corpus.id, described.run_id || '-')
    or corpus.model <> split_part(corpus.run, '/', 1)
    or corpus.question_set <> described.question_set
order by all
