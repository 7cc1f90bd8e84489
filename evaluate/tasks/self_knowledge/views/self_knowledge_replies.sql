-- self_knowledge_replies: the metrics of each text and of the reply about it.
-- Grain: one row per requested text, verifying stage of its protocol and verifier.
-- Columns: run_id, task, protocol, wording, style, stage, example_id, sample; prompt_id (of the generating prompt,
-- which several texts may share); generator, verifier; generate_id (the text), about_id (the text that the reply is
-- about: the same, or the dual one), verify_id (the reply; null: not asked), question_hash (of the reply's prompt,
-- which several texts may share, too); generation_correct, leaks_answer (of the text about_id); reply_parsed,
-- verification_correct, self_consistent, answer_changed, all_correct (0, 1 or null); written, read, consistent
-- (generation_correct, verification_correct and self_consistent as headlines count them: 0 if a reply could not be
-- read, or could be read two ways; null if unknown); estimated (true if generation_correct or verification_correct is
-- an estimate, such as from a closed list); reason (why verification_correct or self_consistent is null). A text that
-- failed, or that nothing could be asked about, has a row for every verifier, so it stays in every denominator. Reads
-- calls, scores and self_knowledge_unread.
create or replace view self_knowledge_replies as
with asked as not materialized (
    select * from calls
    where task = 'self-knowledge'
),

example_ids as (
    select distinct example_id from asked
    where stage = 'generate'
),

-- Parse each id only once: thousands of texts may share it.
names as materialized (
    select
        example_id,
        regexp_extract(example_id, '^(.*)-[0-9]{3}-[a-z]+$', 1) as config,
        regexp_extract(example_id, '-([a-z]+)$', 1) as style
    from example_ids
),

texts as (
    select
        run_id, generation_id, variant, example_id, sample, md5(prompt) as prompt_id,
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

replies as (
    select
        model as verifier,
        generation_id as verify_id,
        parent_generation_id as about_id,
        hash(prompt) as question_hash,
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
    from replies
    left join duals on replies.about_id = duals.dual_id
    inner join texts on coalesce(duals.generate_id, replies.about_id) = texts.generation_id
),

expected as (
    select
        run_id, task, protocol, wording, style, stages.stage, example_id, sample,
        prompt_id,
        generator,
        -- If none of a model's texts could be asked about, the model counts as its own verifier.
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
    expected.*, verify_id, question_hash,
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
from expected
left join replies using (about_id, stage, verifier)
left join graded as written on about_id = written.generation_id
left join graded as original
    on stage = 'verify-dual' and generate_id = original.generation_id and original.reason is not null
left join graded as reply on verify_id = reply.generation_id
left join unread on verify_id = unread.generation_id
left join unread as unwritten on about_id = unwritten.generation_id;
