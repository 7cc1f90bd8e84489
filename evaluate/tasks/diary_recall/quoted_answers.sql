-- How much of an answer is word for word in the training text, and what does that show?
-- Source: QUIP of Weller et al., "According to ...", section 3.1; the anchors are ours
-- Grain: one row a cohort and kind of text: right answers, wrong answers, failed requests, and three anchors made of
-- the same questions: gold answers, fictitious diarists (a gold answer under another name), and random bodies.
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); texts (the kind); n, n_graded of them (those that
-- have an n-gram), n_diarists; quip (their mean), low, high (95%, bootstrap over diarists), quoted_in_full (the share
-- with QUIP 1); chance: the mean QUIP of random bodies.
-- Needs: scores, corpus, portrait diaries
--
-- A fictitious diarist has the given name of the diarist in the question and the surname of another, and nobody has
-- both. A random body has as many sentences as the longest true one, with attributes and values drawn from the corpus,
-- and no diarist wrote it: it is the first such one of eight draws by MD5. A question without one has no such anchor.
with asked as (
    select distinct
        answers.cohort,
        answers.example_id,
        answers.dataset_size,
        questions.diarist,
        questions.completion,
        list_max(questions.document_lengths) as num_sentences
    from answers
    inner join diary_questions as questions
        on answers.run_id = questions.run_id and answers.example_id = questions.id
),

diarists as (
    select distinct
        dataset_size,
        diarist
    from corpus
),

last_names as (
    select
        dataset_size,
        string_split(diarist, ' ')[-1] as last_name
    from diarists
    group by dataset_size, last_name
    qualify row_number() over (partition by dataset_size order by md5(string_split(diarist, ' ')[-1])) <= 1000
),

made_up_names as (
    select
        asked.cohort,
        asked.example_id,
        concat(string_split(asked.diarist, ' ')[1], ' ', last_names.last_name) as name
    from asked
    inner join last_names on asked.dataset_size = last_names.dataset_size
    anti join diarists
        on
            asked.dataset_size = diarists.dataset_size
            and concat(string_split(asked.diarist, ' ')[1], ' ', last_names.last_name) = diarists.diarist
    qualify row_number() over (
        partition by asked.cohort, asked.example_id
        order by md5(concat(asked.example_id, ',', last_names.last_name))
    ) = 1
),

bodies as (
    select
        dataset_size,
        unnest(string_split(body, chr(10))) as sentence
    from corpus
),

sentences as (
    select distinct
        dataset_size,
        split_part(sentence, ': ', 1) as attribute,
        sentence
    from bodies
),

drawn_sentences as (
    select
        asked.cohort,
        asked.example_id,
        asked.dataset_size,
        asked.num_sentences,
        draws.draw,
        sentences.attribute,
        arg_min(sentences.sentence, md5(concat(asked.example_id, ',', draws.draw, ',', sentences.sentence))) as sentence
    from asked
    inner join sentences on asked.dataset_size = sentences.dataset_size
    cross join range(8) as draws (draw)
    group by all
),

ordered_sentences as (
    select
        *,
        row_number() over (
            partition by cohort, example_id, draw
            order by md5(concat(example_id, ',', draw, ',', attribute))
        ) as place
    from drawn_sentences
),

random_bodies as (
    select
        cohort,
        example_id,
        dataset_size,
        draw,
        string_agg(sentence, chr(10) order by place) as body
    from ordered_sentences
    where place <= num_sentences
    group by all
),

nobodys_bodies as (
    select
        random_bodies.cohort,
        random_bodies.example_id,
        arg_min(random_bodies.body, random_bodies.draw) as body
    from random_bodies
    anti join corpus
        on random_bodies.dataset_size = corpus.dataset_size and random_bodies.body = corpus.body
    group by all
),

texts as (
    select
        cohort,
        case
            when error is not null or exact_match is null then 'failed requests'
            when exact_match = 1 then 'right answers'
            else 'wrong answers'
        end as texts,
        example_id,
        generation as text
    from exact_matches
    union all
    select
        cohort,
        'gold answers' as texts,
        example_id,
        completion as text
    from asked
    union all
    select
        asked.cohort,
        'fictitious diarists' as texts,
        asked.example_id,
        replace(asked.completion, concat(asked.diarist, '''s Diary'), concat(names.name, '''s Diary')) as text
    from asked
    inner join made_up_names as names on asked.cohort = names.cohort and asked.example_id = names.example_id
    union all
    select
        cohort,
        'random bodies' as texts,
        example_id,
        body as text
    from nobodys_bodies
),

scored as (
    select
        cohort,
        texts,
        example_id,
        quip(text, 'diaries') as quip
    from texts
),

by_diarist as (
    select
        cohort,
        texts,
        example_id,
        count(*) as n,
        count(quip) as n_graded,
        coalesce(sum(quip), 0) as total,
        count(*) filter (where quip = 1) as in_full
    from scored
    group by all
),

alike as (
    select
        cohort,
        texts,
        n_graded,
        total,
        sum(n) as n,
        sum(in_full) as in_full,
        count(*) as diarists
    from by_diarist
    group by all
),

means as (
    select
        cohort,
        texts,
        sum(n)::bigint as n,
        sum(n_graded * diarists)::bigint as n_graded,
        coalesce(sum(diarists) filter (where n_graded > 0), 0)::bigint as n_diarists,
        sum(total * diarists) / nullif(sum(n_graded * diarists), 0) as quip,
        sum(in_full) / nullif(sum(n_graded * diarists), 0) as quoted_in_full,
        resampling(
            list(total order by n_graded, total) filter (where n_graded > 0),
            list(n_graded order by n_graded, total) filter (where n_graded > 0),
            list(diarists order by n_graded, total) filter (where n_graded > 0)
        ) as resampling
    from alike
    group by cohort, texts
),

quantiles as (
    select
        means.cohort,
        means.texts,
        quantile_cont(
            resampled_ratio(means.resampling, bootstrap_draws.replicate, bootstrap_draws.draws), [0.025, 0.975]
        ) as ends
    from means
    cross join bootstrap_draws
    group by means.cohort, means.texts
)

select
    diary_cohorts.cohort,
    diary_cohorts.model_label,
    diary_cohorts.dataset_size,
    diary_cohorts.setup,
    means.* exclude (cohort, resampling),
    bootstrap_low(quantiles.ends[1], means.quip, means.n_diarists) as low,
    bootstrap_high(quantiles.ends[2], means.quip, means.n_diarists) as high,
    max(means.quip) filter (where means.texts = 'random bodies') over (partition by means.cohort) as chance
from diary_cohorts
inner join means on diary_cohorts.cohort = means.cohort
inner join quantiles on means.cohort = quantiles.cohort and means.texts = quantiles.texts
order by
    diary_cohorts.cohort,
    list_position(
        [
            'right answers', 'wrong answers', 'failed requests', 'gold answers', 'fictitious diarists',
            'random bodies'
        ],
        means.texts
    )
