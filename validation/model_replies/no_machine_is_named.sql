-- no path of the machine that ran a model is left in run.json, an id, an error or a model's name
-- Grain: a text with a path. Columns: run, where_found, path.
with texts as (
    select
        run,
        'run.json' as where_found,
        description as text
    from described
    union all
    select
        run,
        unnest(['id', 'example_id', 'question_set', 'error']) as where_found,
        unnest([id, example_id, question_set, error]) as text
    from corpus
    union all
    select distinct
        run_id as run,
        'model' as where_found,
        model as text
    from generations
),

paths as (
    select
        run, where_found,
        regexp_extract(text, '(^|[^\w.:/])((/[\w.+-]+){2,}|[A-Z]:\\[\w]+)', 2) as path
    from texts
)

select distinct
    run, where_found, path
from paths
where path <> ''
order by all
