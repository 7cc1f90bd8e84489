-- Where does a wrong document come from?
-- Source: not in the paper: the bodies of wrong documents, joined to those of the corpus, character by character
-- Grain: one row per cohort, number of sentences recalled and origin: the same diarist (another of the asked diarist's
-- entries), another diarist, or an invention (no entry of the corpus).
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); recalled_sentences, origin; n wrong documents of
-- this length (including those with another number or another diarist's title), n_graded (the same: each has an
-- origin), n_diarists, n_documents of this origin; share, low and high (95%, bootstrap over diarists); chance: the
-- share of random bodies of this length with this origin (k of 8 attributes in order, each with one of 2 values; null
-- for a corpus of your own). Below five sentences, always compare with chance; from five on it is small.
-- Needs: scores, corpus
with wrong as (
    select
        generation_id, cohort, example_id, dataset_size, diarist, place, documents.recalled_sentences,
        value::integer as num_documents
    from documents
    inner join answers using (generation_id)
    inner join scores
        on answers.generation_id = scores.generation_id and metric = 'documents_recalled'
    inner join diary_questions on answers.run_id = diary_questions.run_id and answers.example_id = diary_questions.id
    where fate in ('wrong', 'beyond', 'foreign')
),

-- Only these texts are held in memory: with coalesce, DuckDB builds the hash table of the ids, and not of all texts.
texts as (
    select generation_id, generation
    from generations
    where coalesce(generation_id in (select wrong.generation_id from wrong), false)
),

bodies as (
    select
        cohort, wrong.example_id, dataset_size, diarist, recalled_sentences,
        coalesce(read_bodies.body, diary_body(generation, place, num_documents)) as body
    from wrong
    inner join texts using (generation_id)
    left join read_bodies using (generation_id, place)
),

own_entries as (
    select distinct dataset_size, diarist, num_sentences, body
    from corpus
),

entries as (
    select distinct dataset_size, num_sentences, body
    from corpus
),

diarists as (
    select dataset_size, count(distinct diarist) as num_diarists
    from corpus
    group by dataset_size
),

own_lengths as (
    select dataset_size, num_sentences, count(*) as num_own_entries
    from own_entries
    group by all
),

lengths as (
    select
        dataset_size, num_sentences, count(*) as num_entries,
        power(2, num_sentences) * factorial(8) / factorial(8 - num_sentences) as possible
    from entries
    where num_sentences between 1 and 8
    group by all
),

-- the share of all possible bodies of a length that are in the corpus, and that a single diarist wrote, on average
chances as (
    select
        dataset_size, num_sentences as recalled_sentences,
        num_entries / possible as anyone,
        num_own_entries / num_diarists / possible as same_diarist
    from lengths
    inner join own_lengths using (dataset_size, num_sentences)
    inner join diarists using (dataset_size)
),

origins as (
    select
        bodies.cohort, bodies.example_id, bodies.recalled_sentences,
        case
            when own_entries.body is not null then 'the same diarist'
            when entries.body is not null then 'another diarist'
            else 'an invention'
        end as origin
    from bodies
    left join own_entries
        on
            bodies.dataset_size = own_entries.dataset_size
            and bodies.diarist = own_entries.diarist
            and bodies.body = own_entries.body
    left join entries on bodies.dataset_size = entries.dataset_size and bodies.body = entries.body
),

by_diarist as (
    select
        cohort, recalled_sentences, example_id,
        count(*) as documents,
        [
            { 'origin': 'the same diarist', 'documents': count(*) filter (where origin = 'the same diarist') },
            { 'origin': 'another diarist', 'documents': count(*) filter (where origin = 'another diarist') },
            { 'origin': 'an invention', 'documents': count(*) filter (where origin = 'an invention') }
        ] as kinds
    from origins
    group by all
),

by_origin as (
    select cohort, recalled_sentences, documents, unnest(kinds) as kind
    from by_diarist
),

shares as (
    select
        cohort, recalled_sentences, kind.origin,
        sum(documents)::bigint as n, sum(kind.documents)::bigint as n_documents,
        clustered_share(kind.documents, documents) as share
    from by_origin
    group by all
)

select
    cohort, model_label, dataset_size, setup, recalled_sentences, origin,
    n, n as n_graded, share.n_clusters as n_diarists, n_documents,
    share.share, share.low, share.high,
    case
        when not of_attributes then null
        when origin = 'the same diarist' then coalesce(same_diarist, 0)
        when origin = 'another diarist' then coalesce(anyone - same_diarist, 0)
        else 1 - coalesce(anyone, 0)
    end as chance
from diary_cohorts
inner join shares using (cohort)
left join chances using (dataset_size, recalled_sentences)
order by cohort, recalled_sentences, origin
