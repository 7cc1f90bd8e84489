-- run.json says which one model a run asked: a name that begins as the run's, revision, size, quantised or trained here
-- Grain: a run and a model that it asked, where they do not. Columns: run, model, revision, described.
with asked as (
    select distinct
        run_id, model, revision
    from generations
)

select
    described.run, asked.model, asked.revision, described.models as described
from described
left join asked on described.run_id = asked.run_id
where
    len(described.models) <> 1
    or not coalesce(
        described.models[1].name = asked.model
        and described.models[1].revision = asked.revision
        and described.models[1].num_parameters > 0
        and (described.models[1].quantization <> '' or described.models[1].from_scratch)
        and starts_with(asked.model, split_part(described.run, '/', 1)),
        false
    )
order by all
