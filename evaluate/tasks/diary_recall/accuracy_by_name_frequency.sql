-- Are diarists with common names mixed up more often?
-- Source: not in the paper
-- Grain: one row per cohort and frequency of the rarest word in a diarist's name, in classes of powers of two.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); rarest_from and rarest_to (the number of diarists
-- in the corpus who share the rarest word of the name); n answers, n_graded, n_questions; accuracy, low and high (95%,
-- Wilson); chance: a model with right entries, but a random number of them.
-- Needs: scores, corpus
with words as (
    select distinct dataset_size, diarist, unnest(string_split(diarist, ' ')) as word
    from corpus
),

frequencies as (
    select dataset_size, word, count(*) as num_diarists
    from words
    group by all
),

rarest as (
    select dataset_size, diarist, floor(log2(min(num_diarists)))::integer as class
    from words
    inner join frequencies using (dataset_size, word)
    group by all
)

select
    cohort, model_label, dataset_size, setup,
    power(2, class)::bigint as rarest_from, (power(2, class + 1) - 1)::bigint as rarest_to,
    unnest(accuracy(exact_match, repetition)),
    1 / max_documents as chance
from exact_matches as answers
inner join diary_questions on answers.run_id = diary_questions.run_id and answers.example_id = diary_questions.id
inner join rarest using (dataset_size, diarist)
group by cohort, model_label, dataset_size, setup, max_documents, class
order by cohort, class
