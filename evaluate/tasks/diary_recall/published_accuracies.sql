-- How do our numbers compare with the paper's?
-- Source: Prato et al., Table 1
-- Grain: one row per number of the paper, and cohort of ours with the same model, starting weights, dataset size and
-- setup.
-- Columns: row and column (the paper's), published, published_n; cohort, model_label, recipe (the training settings
-- that are not the defaults); n answers, n_graded, accuracy, low and high (95%, see `cohort_accuracies`); chance: a
-- model with right entries, but a random number of them.
-- Needs: scores
--
-- The paper's models are matched by their number of parameters, which is in Table 4.
with parameters as (
    select replace(published.row, '-', ' ') as printed, value::bigint as num_parameters
    from published
    where paper = 'how-much-they-know' and published.table = 'table-4' and unit = 'parameters'
),

papers as (
    select
        published.row, published."column", value / 100 as published, n as published_n,
        published."column" = 'Pre-trained' as pretrained, num_parameters
    from published
    inner join parameters on replace(published.row, '-', ' ') = printed
    where paper = 'how-much-they-know' and published.table = 'table-1'
)

select
    papers.row, papers."column", published, published_n,
    cohort, model_label, recipe, n, n_graded, accuracy, low, high,
    1 / max_documents as chance
from papers
inner join cohort_accuracies using (num_parameters, pretrained)
where dataset_size = '32k' and setup = 'standard'
order by papers.row, papers."column", cohort
