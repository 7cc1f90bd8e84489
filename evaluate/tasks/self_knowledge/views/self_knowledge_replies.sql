-- self_knowledge_replies: the right reply about each text, and the model's reply.
-- Grain: one row per requested text, verifying stage of its protocol and verifier.
-- Columns: run_id, task, protocol, wording, style, stage, example_id, sample; prompt_id (of the prompt that the text
-- was written for: several texts may share one); generator, verifier; generate_id (the text), about_id (what the reply
-- is about: the text, or the dual one), verify_id (null: not asked); generation_correct, leaks_answer (of what the
-- reply is about); reply_parsed, verification_correct, self_consistent, answer_changed, all_correct (0, 1 or null);
-- written, read, consistent (the first, third and fourth of these as a headline counts them: 0 where nothing could be
-- read, or two things; null where nobody can know); estimated (whether one of the first two rests on an estimate, such
-- as a closed list); reason (why verification_correct or self_consistent is null). A text that failed, or that nobody
-- could be asked about, has a row for every verifier, so it stays in every denominator. Reads calls, scores
-- and self_knowledge_unread.
create or replace view self_knowledge_replies as
with asked as (
    select * from calls
    where task = 'self-knowledge'
),

example_ids as (
    select distinct example_id from asked
    where stage = 'generate'
),

-- An id is cut once, not for each of the thousands of texts that were asked for by it.
names as materialized (
    select
        example_id,
        regexp_extract(example_id, '^(.*)-[0-9]{3}-[a-z]+$', 1) as config,
        regexp_extract(example_id, '-([a-z]+)$', 1) as style
    from example_ids
),

texts as (
    select
        asked.* exclude (task),
        config as task, style, model as generator,
        split_part(variant, '/', 1) as protocol, split_part(variant, '/', 2) as wording
    from asked
    inner join names using (example_id)
    where stage = 'generate'
),

duals as (
    select
        parent_generation_id as generate_id,
        generation_id as dual_id
    from asked
    where stage = 'dual'
),

said as (
    select
        model as verifier,
        generation_id as verify_id,
        parent_generation_id as about_id,
        stage
    from asked
    where starts_with(stage, 'verify')
),

stages (protocol, stage) as (
    values
    ('separate', 'verify'), ('in-context', 'verify'), ('in-context-noise', 'verify'),
    ('dual', 'verify'), ('dual', 'verify-dual'),
    ('consistency', 'verify'), ('consistency', 'verify-kept'),
    ('inconsistency', 'verify'), ('inconsistency', 'verify-broken')
),

verifiers as (
    select distinct run_id, variant, generator, verifier
    from said
    left join duals on said.about_id = duals.dual_id
    inner join texts on coalesce(duals.generate_id, said.about_id) = texts.generation_id
),

wanted as (
    select
        run_id, task, protocol, wording, style, stages.stage, example_id, sample,
        md5(prompt) as prompt_id,
        generator,
        -- Where nothing a model wrote could be asked about, it stands for itself.
        coalesce(verifier, generator) as verifier,
        generation_id as generate_id,
        if(stages.stage = 'verify-dual', dual_id, generation_id) as about_id
    from texts
    inner join stages using (protocol)
    left join verifiers using (run_id, variant, generator)
    left join duals on texts.generation_id = duals.generate_id
),

graded as (
    select
        generation_id,
        max(value) filter (where metric = 'generation_correct') as generation_correct,
        max(value) filter (where metric = 'leaks_answer') as leaks_answer,
        max(value) filter (where metric = 'reply_parsed') as reply_parsed,
        max(value) filter (where metric = 'verification_correct') as verification_correct,
        max(value) filter (where metric = 'self_consistent') as self_consistent,
        max(value) filter (where metric = 'answer_changed') as answer_changed,
        max(value) filter (where metric = 'all_correct') as all_correct,
        coalesce(bool_or(
            value is not null
            and starts_with(reason, 'estimate: ')
            and metric in ('generation_correct', 'verification_correct')
        ), false) as estimated,
        min(reason) filter (where metric in ('verification_correct', 'self_consistent') and value is null) as reason
    from scores
    group by generation_id
),

unread as (
    select
        generation_id,
        bool_or(metric = 'generation_correct') as written,
        bool_or(metric = 'verification_correct') as read,
        bool_or(metric = 'self_consistent') as consistent
    from self_knowledge_unread
    group by generation_id
)

select
    wanted.*, verify_id,
    written.generation_correct, written.leaks_answer,
    reply.reply_parsed, reply.verification_correct, reply.self_consistent, reply.answer_changed, reply.all_correct,
    coalesce(written.generation_correct, if(unwritten.written, 0, null)) as written,
    coalesce(reply.verification_correct, if(unread.read, 0, null)) as read,
    coalesce(
        reply.self_consistent, if(unread.consistent or (verify_id is null and unwritten.consistent), 0, null)
    ) as consistent,
    coalesce(written.estimated, false) or coalesce(reply.estimated, false) as estimated,
    if(
        verify_id is null,
        coalesce(written.reason, original.reason, 'not asked: nothing to ask about, or not yet'),
        reply.reason
    ) as reason
from wanted
left join said using (about_id, stage, verifier)
left join graded as written on about_id = written.generation_id
left join graded as original
    on stage = 'verify-dual' and generate_id = original.generation_id and original.reason is not null
left join graded as reply on verify_id = reply.generation_id
left join unread on verify_id = unread.generation_id
left join unread as unwritten on about_id = unwritten.generation_id;
