-- self_aware_replies: the replies to each question of self-aware, with each scorer's verdict.
-- Grain: one row per call and scorer with its encoder and references.
-- Columns: run_id, generation_id, cohort, model, form; scorer, encoder, threshold, references_name; example_id, pair_id
-- (the question's own id if it has no pair), stratum (the pair's numbers of unanswerable and answerable questions),
-- answerable, category, source; failed (the request has no reply); abstained (0, 1, or null with its reason), kind
-- (abstains, answers, refuses, unreadable; null for scorers without classes), hedged (of answers), evidence (the
-- sentence that decided the verdict), phrase_found, max_similarity, reason; exact_match, substring_match,
-- whole_word_match (of answerable questions; the last is the accuracy: 0 if yes or no could not be read; in old runs
-- without this metric, the substring match); logprob, completion_tokens; setting (a struct of cohort, model, form,
-- scorer, encoder, threshold and references_name, by which the views group).
create or replace view self_aware_replies as
with questions as (
    select
        * replace (coalesce(pair_id, id) as pair_id),
        concat(
            count(*) filter (where not answerable) over pair, '/', count(*) filter (where answerable) over pair
        ) as stratum
    from self_aware_questions
    window pair as (partition by run_id, coalesce(pair_id, id))
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
                -- null beside a value of substring_match: there was a reply, but its yes or no could not be read
                if(count(value) filter (where metric = 'substring_match') > 0, 0, null)
            )
        end as whole_word_match
    from scores
    where metric in ('exact_match', 'substring_match', 'whole_word_match')
    group by generation_id
)

select
    calls.run_id, generation_id, cohort, model, variant as form, scorer, encoder, threshold, references_name,
    example_id, pair_id, stratum, answerable, category, source, error is not null as failed,
    abstained, kind, hedged, evidence, phrase_found, max_similarity, reason,
    exact_match, substring_match, whole_word_match, logprob, completion_tokens,
    {
        'cohort': cohort, 'model': model, 'form': variant,
        'scorer': scorer, 'encoder': encoder, 'threshold': threshold, 'references_name': references_name
    } as setting
from calls
inner join questions on calls.run_id = questions.run_id and calls.example_id = questions.id
inner join verdicts using (generation_id)
left join grades using (generation_id);
