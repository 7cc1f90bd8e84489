-- How much of an answer is word for word in the training text, compared with other texts?
-- Source: QUIP of Weller et al., "According to ...", section 3.1; the anchors are ours
-- Grain: one row per cohort and kind of text: right answers, wrong answers, failed requests, and three anchors for the
-- same questions: gold answers, fictitious diarists (a gold answer under another name), and random bodies.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); texts (the kind); n, n_graded of them (those with
-- an n-gram), n_diarists; quip (the mean QUIP), low, high (95%, bootstrap over diarists), quoted_in_full (the share
-- with QUIP 1); chance: the mean QUIP of random bodies.
-- Needs: scores, corpus, portrait diaries
--
-- A fictitious diarist has the given name of the diarist in the question and another diarist's surname; nobody in the
-- corpus has both. A random body has as many sentences as the longest true one, with attributes and values drawn from
-- the corpus. It is the first of eight draws by MD5 that no diarist wrote; a question without one has no such anchor.
with asked as (
    select distinct
        cohort, example_id, dataset_size, diarist, completion, list_max(document_lengths) as num_sentences
    from answers
    inner join diary_questions on answers.run_id = diary_questions.run_id and answers.example_id = diary_questions.id
),

diarists as (
    select distinct dataset_size, diarist
    from corpus
),

last_names as (
    select dataset_size, string_split(diarist, ' ')[-1] as last_name
    from diarists
    group by dataset_size, last_name
    qualify row_number() over (partition by dataset_size order by md5(last_name)) <= 1000
),

names as (
    select
        cohort, example_id, asked.dataset_size, last_name,
        concat(string_split(asked.diarist, ' ')[1], ' ', last_name) as diarist
    from asked
    inner join last_names using (dataset_size)
),

made_up_names as (
    select cohort, example_id, diarist as name
    from names
    anti join diarists using (dataset_size, diarist)
    qualify row_number() over (
        partition by cohort, example_id
        order by md5(concat(example_id, ',', last_name))
    ) = 1
),

bodies as (
    select dataset_size, unnest(string_split(body, chr(10))) as sentence
    from corpus
),

sentences as (
    select distinct dataset_size, split_part(sentence, ': ', 1) as attribute, sentence
    from bodies
),

drawn_sentences as (
    select
        cohort, example_id, dataset_size, num_sentences, draw, attribute,
        arg_min(sentence, md5(concat(example_id, ',', draw, ',', sentence))) as sentence
    from asked
    inner join sentences using (dataset_size)
    cross join range(8) as draws (draw)
    group by all
),

first_sentences as (
    select *, md5(concat(example_id, ',', draw, ',', attribute)) as place
    from drawn_sentences
    qualify row_number() over (partition by cohort, example_id, draw order by place) <= num_sentences
),

random_bodies as (
    select cohort, example_id, dataset_size, draw, string_agg(sentence, chr(10) order by place) as body
    from first_sentences
    group by all
),

unwritten_bodies as (
    select cohort, example_id, arg_min(body, draw) as body
    from random_bodies
    anti join corpus using (dataset_size, body)
    group by all
),

texts as (
    select
        cohort, example_id,
        case
            when error is not null or exact_match is null then 'failed requests'
            when exact_match = 1 then 'right answers'
            else 'wrong answers'
        end as texts,
        generation as text
    from exact_matches
    union all
    select cohort, example_id, 'gold answers' as texts, completion as text
    from asked
    union all
    select
        cohort, example_id, 'fictitious diarists' as texts,
        replace(completion, concat(diarist, '''s Diary'), concat(name, '''s Diary')) as text
    from asked
    inner join made_up_names using (cohort, example_id)
    union all
    select cohort, example_id, 'random bodies' as texts, body as text
    from unwritten_bodies
),

scored as (
    select cohort, texts, example_id, quip(text, 'diaries') as quip
    from texts
),

by_diarist as (
    select
        cohort, texts, example_id,
        count(*) as n, count(quip) as n_graded, sum(quip) as total, count(*) filter (where quip = 1) as in_full
    from scored
    group by all
),

means as (
    select
        cohort, texts,
        sum(n)::bigint as n, sum(n_graded)::bigint as n_graded,
        clustered_share(total, nullif(n_graded, 0)) as quoted,
        sum(in_full) / nullif(sum(n_graded), 0) as quoted_in_full
    from by_diarist
    group by all
)

select
    cohort, model_label, dataset_size, setup, texts,
    n, n_graded, quoted.n_clusters as n_diarists,
    quoted.share as quip, quoted_in_full, quoted.low, quoted.high,
    max(quoted.share) filter (where texts = 'random bodies') over (partition by cohort) as chance
from diary_cohorts
inner join means using (cohort)
order by
    cohort,
    list_position(
        [
            'right answers', 'wrong answers', 'failed requests', 'gold answers', 'fictitious diarists',
            'random bodies'
        ],
        texts
    )
