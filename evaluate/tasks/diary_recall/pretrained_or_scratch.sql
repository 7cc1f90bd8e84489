-- Do pre-trained weights help?
-- Source: Prato et al., Table 1
-- Grain: one row per pair of cohorts of a model size, dataset size and setup, from pre-trained and from random weights.
-- Columns: suite, num_parameters; dataset_size, num_diarists, setup; for each kind of weights n answers, n_graded,
-- accuracy, low and high (95%, see `cohort_accuracies`) and recipe (the training settings that are not the defaults),
-- null if it was not asked; chance: a model with right entries, but a random number of them. Models whose starting
-- weights are unknown are left out.
-- Needs: scores
--
-- A pair with the same recipe is preferred; otherwise any two are compared.
with started as (
    select
        *,
        {
            'suite': suite, 'num_parameters': num_parameters, 'dataset_size': dataset_size,
            'num_diarists': num_diarists, 'setup': setup
        } as setting,
        bool_or(not pretrained) over same_recipe and bool_or(pretrained) over same_recipe as has_twin
    from cohort_accuracies
    where pretrained is not null
    window same_recipe as (partition by setting, dataset_seed, recipe_hash)
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
    unnest(coalesce(pretrained.setting, scratch.setting)),
    pretrained.n as n_pretrained, pretrained.n_graded as n_graded_pretrained,
    pretrained.accuracy as accuracy_pretrained, pretrained.low as low_pretrained, pretrained.high as high_pretrained,
    pretrained.recipe as recipe_pretrained,
    scratch.n as n_scratch, scratch.n_graded as n_graded_scratch,
    scratch.accuracy as accuracy_scratch, scratch.low as low_scratch, scratch.high as high_scratch,
    scratch.recipe as recipe_scratch,
    1 / coalesce(pretrained.max_documents, scratch.max_documents) as chance
from pretrained
full outer join scratch
    on
        pretrained.setting = scratch.setting
        and pretrained.dataset_seed is not distinct from scratch.dataset_seed
        and (
            pretrained.recipe_hash is not distinct from scratch.recipe_hash
            or not (pretrained.has_twin or scratch.has_twin)
        )
order by coalesce(pretrained.cohort, scratch.cohort), scratch.cohort
