-- self_aware_replies: the replies to each question of self-aware, and each scorer's reading.
-- Grain: one row a call that counts and a scorer with its encoder and references.
-- Columns: run_id, generation_id, cohort, model, form; scorer, encoder, threshold, references_name; example_id, pair_id
-- (of a question without one its own id), stratum (how many unanswerable and answerable questions the pair has),
-- answerable, category, source; failed (the request has no reply); abstained (0, 1, or null with its reason), kind
-- (abstains, answers, refuses, unreadable; null of scorers that do not tell), hedged (of answers), evidence (the
-- sentence that it rests on), phrase_found, max_similarity, reason;
-- exact_match, substring_match, whole_word_match (of answerable questions; the last is what counts: 0 where yes or no
-- could not be read, and of runs that were scored before it was there the substring); logprob, completion_tokens.
create or replace view self_aware_replies as
with pairs as (
    select
        run_id,
        coalesce(pair_id, id) as pair_id,
        concat(count(*) filter (where not answerable), '/', count(*) filter (where answerable)) as stratum
    from self_aware_questions
    group by all
),

grades as (
    select
        generation_id,
        max(value) filter (where metric = 'exact_match') as exact_match,
        max(value) filter (where metric = 'substring_match') as substring_match,
        case
            when count(*) filter (where metric = 'whole_word_match') = 0
                then max(value) filter (where metric = 'substring_match')
            else coalesce(
                max(value) filter (where metric = 'whole_word_match'),
                -- null and a substring that was looked for: it was answered, and yes or no could not be read
                if(count(value) filter (where metric = 'substring_match') > 0, 0, null)
            )
        end as whole_word_match
    from scores
    where metric in ('exact_match', 'substring_match', 'whole_word_match')
    group by generation_id
)

select
    calls.run_id,
    calls.generation_id,
    calls.cohort,
    calls.model,
    calls.variant as form,
    verdicts.scorer,
    verdicts.encoder,
    verdicts.threshold,
    verdicts.references_name,
    calls.example_id,
    pairs.pair_id,
    pairs.stratum,
    questions.answerable,
    questions.category,
    questions.source,
    calls.error is not null as failed,
    verdicts.abstained,
    verdicts.kind,
    verdicts.hedged,
    verdicts.evidence,
    verdicts.phrase_found,
    verdicts.max_similarity,
    verdicts.reason,
    grades.exact_match,
    grades.substring_match,
    grades.whole_word_match,
    calls.logprob,
    calls.completion_tokens
from calls
inner join self_aware_questions as questions on calls.run_id = questions.run_id and calls.example_id = questions.id
inner join pairs on questions.run_id = pairs.run_id and coalesce(questions.pair_id, questions.id) = pairs.pair_id
inner join verdicts on calls.generation_id = verdicts.generation_id
left join grades on calls.generation_id = grades.generation_id;
