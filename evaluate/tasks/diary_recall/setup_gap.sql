-- How much easier is it when all entries of a diarist were one document?
-- Source: Prato et al., Figure 3
-- Grain: one row per model, training and dataset size with runs in both setups.
-- Columns: suite, model_label, num_parameters, pretrained, recipe (the training settings that are not the defaults),
-- dataset_size, num_diarists; for each setup n answers, n_graded and accuracy; gap (simplified minus standard), low and
-- high (95%, from the intervals of both accuracies: Newcombe 1998, method 10; for intervals over seeds Zou and Donner
-- 2008), interval_over (see `cohort_accuracies`); chance: the gap of a model that knows all entries, not their number.
-- Needs: scores
--
-- Two cohorts are a pair if they are the same model with the same training: each on the setup that it is asked about,
-- or both on the same corpus, or both on an unknown one.
with accuracies as (
    select * from cohort_accuracies
)

select
    standard.suite, standard.model_label, standard.num_parameters, standard.pretrained, standard.recipe,
    standard.dataset_size, standard.num_diarists,
    standard.n as n_standard, standard.n_graded as n_graded_standard, standard.accuracy as accuracy_standard,
    simplified.n as n_simplified, simplified.n_graded as n_graded_simplified,
    simplified.accuracy as accuracy_simplified,
    simplified.accuracy - standard.accuracy as gap,
    gap - sqrt(power(simplified.accuracy - simplified.low, 2) + power(standard.high - standard.accuracy, 2)) as low,
    gap + sqrt(power(simplified.high - simplified.accuracy, 2) + power(standard.accuracy - standard.low, 2)) as high,
    if(standard.interval_over = simplified.interval_over, standard.interval_over, 'questions') as interval_over,
    0.0::double as chance
from accuracies as standard
inner join accuracies as simplified
    on
        standard.model_id = simplified.model_id
        and (
            (standard.trained_on_asked and simplified.trained_on_asked)
            or standard.corpus_hash is not distinct from simplified.corpus_hash
        )
        and standard.dataset_size = simplified.dataset_size
        and standard.dataset_seed is not distinct from simplified.dataset_seed
where standard.setup = 'standard' and simplified.setup = 'simplified'
order by standard.cohort, simplified.cohort
