-- Where does a wrong document come from?
-- Source: not in the paper: the bodies of wrong documents, joined to those of the corpus, character by character
-- Grain: one row a cohort, number of sentences recalled and origin: the same diarist (another of the asked diarist's
-- entries), another diarist, or an invention (no entry of the corpus).
-- Columns: cohort, model_label, dataset_size, setup (see `cohorts`); recalled_sentences, origin; n wrong documents of
-- this length (a number that the target lacks and another diarist's title among them), n_graded (the same: each has an
-- origin), n_diarists, n_documents of this origin; share, low and high (95%, bootstrap over diarists); chance: what a
-- random body of this length would be (k of 8 attributes in order, each with one of 2 values; null for a corpus
-- of your own). It is small from five sentences on. Below five, always compare with it.
-- Needs: scores, corpus
with wrong as (
    select
        generation_id,
        place,
        recalled_sentences
    from documents
    where fate in ('wrong', 'beyond', 'foreign')
),

bodies as (
    select
        answers.cohort,
        answers.example_id,
        answers.dataset_size,
        diary_questions.diarist,
        wrong.recalled_sentences,
        coalesce(
            read_bodies.body, diary_body(answers.generation, wrong.place, recalled.value::integer)
        ) as body
    from wrong
    inner join answers on wrong.generation_id = answers.generation_id
    inner join scores as recalled
        on answers.generation_id = recalled.generation_id and recalled.metric = 'documents_recalled'
    left join read_bodies on wrong.generation_id = read_bodies.generation_id and wrong.place = read_bodies.place
    inner join diary_questions on answers.run_id = diary_questions.run_id and answers.example_id = diary_questions.id
),

own_entries as (
    select distinct
        dataset_size,
        diarist,
        num_sentences,
        body
    from corpus
),

entries as (
    select distinct
        dataset_size,
        num_sentences,
        body
    from corpus
),

diarists as (
    select
        dataset_size,
        count(distinct diarist) as num_diarists
    from corpus
    group by dataset_size
),

own_lengths as (
    select
        dataset_size,
        num_sentences,
        count(*) as num_entries
    from own_entries
    where num_sentences between 1 and 8
    group by dataset_size, num_sentences
),

lengths as (
    select
        dataset_size,
        num_sentences,
        count(*) as num_entries,
        power(2, num_sentences) * factorial(8) / factorial(8 - num_sentences) as possible
    from entries
    where num_sentences between 1 and 8
    group by dataset_size, num_sentences
),

-- of the bodies that a length could have the share that any entry has, and that one diarist's entries have on the mean
chances as (
    select
        lengths.dataset_size,
        lengths.num_sentences,
        lengths.num_entries / lengths.possible as anyone,
        own_lengths.num_entries / diarists.num_diarists / lengths.possible as same_diarist
    from lengths
    inner join own_lengths
        on lengths.dataset_size = own_lengths.dataset_size and lengths.num_sentences = own_lengths.num_sentences
    inner join diarists on lengths.dataset_size = diarists.dataset_size
),

origins as (
    select
        bodies.cohort,
        bodies.dataset_size,
        bodies.example_id,
        bodies.recalled_sentences,
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
        origins.cohort,
        origins.recalled_sentences,
        origins.example_id,
        origins.dataset_size,
        count(*) as documents,
        count(*) filter (where origins.origin = 'the same diarist') as same_diarist,
        count(*) filter (where origins.origin = 'another diarist') as another_diarist,
        count(*) filter (where origins.origin = 'an invention') as invention
    from origins
    group by all
),

alike as (
    select
        by_diarist.cohort,
        by_diarist.dataset_size,
        by_diarist.recalled_sentences,
        by_diarist.documents,
        unnest(['the same diarist', 'another diarist', 'an invention']) as origin,
        unnest([by_diarist.same_diarist, by_diarist.another_diarist, by_diarist.invention]) as of_origin
    from by_diarist
),

counted as (
    select
        cohort,
        dataset_size,
        recalled_sentences,
        origin,
        documents,
        of_origin,
        count(*) as diarists
    from alike
    group by all
),

shares as (
    select
        cohort,
        any_value(dataset_size) as dataset_size,
        recalled_sentences,
        origin,
        sum(documents * diarists)::bigint as n,
        sum(documents * diarists)::bigint as n_graded,
        sum(diarists)::bigint as n_diarists,
        sum(of_origin * diarists)::bigint as n_documents,
        sum(of_origin * diarists) / sum(documents * diarists) as share,
        resampling(
            list(of_origin order by documents, of_origin),
            list(documents order by documents, of_origin),
            list(diarists order by documents, of_origin)
        ) as resampling
    from counted
    group by cohort, recalled_sentences, origin
),

quantiles as (
    select
        shares.cohort,
        shares.recalled_sentences,
        shares.origin,
        quantile_cont(
            resampled_ratio(shares.resampling, bootstrap_draws.replicate, bootstrap_draws.draws), [0.025, 0.975]
        ) as ends
    from shares
    cross join bootstrap_draws
    group by shares.cohort, shares.recalled_sentences, shares.origin
)

select
    diary_cohorts.cohort,
    diary_cohorts.model_label,
    diary_cohorts.dataset_size,
    diary_cohorts.setup,
    shares.* exclude (cohort, dataset_size, resampling),
    bootstrap_low(quantiles.ends[1], shares.share, shares.n_diarists) as low,
    bootstrap_high(quantiles.ends[2], shares.share, shares.n_diarists) as high,
    case
        when not diary_cohorts.of_attributes then null
        when shares.origin = 'the same diarist' then coalesce(chances.same_diarist, 0)
        when shares.origin = 'another diarist' then coalesce(chances.anyone - chances.same_diarist, 0)
        else 1 - coalesce(chances.anyone, 0)
    end as chance
from diary_cohorts
inner join shares on diary_cohorts.cohort = shares.cohort
inner join quantiles
    on
        shares.cohort = quantiles.cohort
        and shares.recalled_sentences = quantiles.recalled_sentences
        and shares.origin = quantiles.origin
left join chances on shares.dataset_size = chances.dataset_size and shares.recalled_sentences = chances.num_sentences
order by diary_cohorts.cohort, shares.recalled_sentences, shares.origin
