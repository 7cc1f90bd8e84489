-- Do pre-trained weights help?
-- Source: Prato et al., Table 1
-- Grain: one row a pair of cohorts of one model size, dataset size and setup, from pre-trained and from random weights.
-- Columns: suite, num_parameters; dataset_size, num_diarists, setup; of each kind n answers, n_graded, accuracy, low
-- and high (95%, see `cohort_accuracies`) and recipe (what is not as its defaults have it), null if it was not asked;
-- chance: right entries, but a random number of them. Models with an unknown start are left out.
-- Needs: scores
--
-- The pair has one recipe if there is such a pair; otherwise any two are compared.
with started as (
    select
        *,
        count(*) filter (where not pretrained) over of_recipe > 0
        and count(*) filter (where pretrained) over of_recipe > 0 as has_twin
    from cohort_accuracies
    where pretrained is not null
    window of_recipe as (
        partition by suite, num_parameters, dataset_size, num_diarists, dataset_seed, setup, recipe_hash
    )
),

pretrained as (
    select * from started
    where pretrained
),

scratch as (
    select * from started
    where not pretrained
)

select
    coalesce(pretrained.suite, scratch.suite) as suite,
    coalesce(pretrained.num_parameters, scratch.num_parameters) as num_parameters,
    coalesce(pretrained.dataset_size, scratch.dataset_size) as dataset_size,
    coalesce(pretrained.num_diarists, scratch.num_diarists) as num_diarists,
    coalesce(pretrained.setup, scratch.setup) as setup,
    pretrained.n as n_pretrained,
    pretrained.n_graded as n_graded_pretrained,
    pretrained.accuracy as accuracy_pretrained,
    pretrained.low as low_pretrained,
    pretrained.high as high_pretrained,
    pretrained.recipe as recipe_pretrained,
    scratch.n as n_scratch,
    scratch.n_graded as n_graded_scratch,
    scratch.accuracy as accuracy_scratch,
    scratch.low as low_scratch,
    scratch.high as high_scratch,
    scratch.recipe as recipe_scratch,
    1 / coalesce(pretrained.max_documents, scratch.max_documents) as chance
from pretrained
full outer join scratch
    on
        pretrained.suite = scratch.suite
        and pretrained.num_parameters is not distinct from scratch.num_parameters
        and pretrained.dataset_size is not distinct from scratch.dataset_size
        and pretrained.num_diarists is not distinct from scratch.num_diarists
        and pretrained.dataset_seed is not distinct from scratch.dataset_seed
        and pretrained.setup is not distinct from scratch.setup
        and (
            pretrained.recipe_hash is not distinct from scratch.recipe_hash
            or not (pretrained.has_twin or scratch.has_twin)
        )
order by coalesce(pretrained.cohort, scratch.cohort), scratch.cohort
