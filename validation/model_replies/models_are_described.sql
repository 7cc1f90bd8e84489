-- run.json describes the run's one model: name, revision, size, and its quantisation or training from scratch
-- Grain: a run and a model that run.json describes differently. Columns: run, model, revision, described.
with models as (
    select distinct
        run_id, model, revision
    from generations
)

select
    described.run, models.model, models.revision, described.models as described
from described
left join models on described.run_id = models.run_id
where
    len(described.models) <> 1
    or not coalesce(
        described.models[1].name = models.model
        and described.models[1].revision = models.revision
        and described.models[1].num_parameters > 0
        and (described.models[1].quantization <> '' or described.models[1].from_scratch)
        and starts_with(models.model, split_part(described.run, '/', 1)),
        false
    )
order by all
