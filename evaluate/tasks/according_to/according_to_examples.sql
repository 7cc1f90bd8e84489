-- What do replies look like, under the null prompt and under another?
-- Source: the generations themselves
-- Grain: one row a run, model, prompt but the null prompt, and question: of the questions whose QUIP is known under
-- both prompts the two with the largest change, the median one and the two with the smallest; the MD5 of a question's
-- id decides between equal ones, so it is always the same.
-- Columns: run_id, dataset, model_label, format, prompt, kind; change_rank (1: the largest) of n_pairs, n questions;
-- example_id, question, answers; for either prompt (null_… and the prompt's own) first_answer (of two steps, the
-- first one's), reply, quip, answer_score; change of quip; answer_metric (exact_match, or rouge_l for long answers). It
-- shows the first sample and estimates nothing.
-- Needs: scores
with asked as (
    select distinct
        run_id,
        dataset,
        format,
        model,
        revision,
        model_label,
        prompt,
        kind,
        place
    from according_to_replies
),

questions_asked as (
    select
        run_id,
        model,
        coalesce(revision, '') as revision,
        count(distinct example_id) as n
    from according_to_replies
    group by all
),

graded as (
    select
        generation_id,
        max(value) filter (where metric = 'quip') as quip,
        max(value) filter (where metric in ('exact_match', 'rouge_l')) as answer_score,
        if(bool_or(metric = 'rouge_l'), 'rouge_l', 'exact_match') as answer_metric
    from scores
    where metric in ('quip', 'exact_match', 'rouge_l')
    group by generation_id
),

said as (
    select
        asked.*,
        calls.example_id,
        first_step.generation as first_answer,
        calls.generation as reply,
        graded.quip,
        graded.answer_score,
        graded.answer_metric
    from calls
    inner join asked
        on
            calls.run_id = asked.run_id
            and calls.model = asked.model
            and calls.revision is not distinct from asked.revision
            and calls.variant = asked.prompt
    inner join graded on calls.generation_id = graded.generation_id
    left join generations as first_step on calls.parent_generation_id = first_step.generation_id
    where calls.task = 'according-to' and calls.sample = 0 and graded.quip is not null
),

pairs as (
    select
        prompted.*,
        plain.first_answer as null_first_answer,
        plain.reply as null_reply,
        plain.quip as null_quip,
        plain.answer_score as null_answer_score,
        prompted.quip - plain.quip as change
    from said as prompted
    inner join said as plain
        on
            prompted.run_id = plain.run_id
            and prompted.model = plain.model
            and prompted.revision is not distinct from plain.revision
            and prompted.example_id = plain.example_id
    where prompted.prompt <> 'null' and plain.prompt = 'null'
),

ranked as (
    select
        *,
        row_number() over (
            partition by run_id, model, revision, prompt
            order by change desc, md5(example_id) asc, example_id asc
        ) as change_rank,
        count(*) over (partition by run_id, model, revision, prompt) as n_pairs
    from pairs
)

select
    ranked.run_id,
    ranked.dataset,
    ranked.model_label,
    ranked.format,
    ranked.prompt,
    ranked.kind,
    ranked.change_rank,
    ranked.n_pairs,
    questions_asked.n,
    ranked.example_id,
    according_to_questions.question,
    according_to_questions.answers,
    ranked.null_first_answer,
    ranked.null_reply,
    ranked.null_quip,
    ranked.null_answer_score,
    ranked.first_answer,
    ranked.reply,
    ranked.quip,
    ranked.answer_score,
    ranked.change,
    ranked.answer_metric
from ranked
inner join questions_asked
    on
        ranked.run_id = questions_asked.run_id
        and ranked.model = questions_asked.model
        and coalesce(ranked.revision, '') = questions_asked.revision
inner join according_to_questions
    on ranked.run_id = according_to_questions.run_id and ranked.example_id = according_to_questions.id
where
    ranked.change_rank <= 2
    or ranked.change_rank > ranked.n_pairs - 2
    or ranked.change_rank = (ranked.n_pairs + 1) // 2
order by ranked.dataset, ranked.model_label, ranked.run_id, ranked.place, ranked.change_rank
