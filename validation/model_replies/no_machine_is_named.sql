-- no path of the machine that a model was asked on is left in run.json, in an id, in an error or in a model's name
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

found as (
    select
        run, where_found,
        regexp_extract(text, '(^|[^\w.:/])((/[\w.+-]+){2,}|[A-Z]:\\[\w]+)', 2) as path
    from texts
)

select distinct
    run, where_found, path
from found
where path <> ''
order by all
