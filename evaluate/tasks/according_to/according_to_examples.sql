-- What do replies look like, under the null prompt and under another?
-- Source: the generations themselves
-- Grain: one row per run, model, prompt except the null prompt, and question. The questions, among those with a QUIP
-- under both prompts, are the two with the largest change, the median one and the two with the smallest; the MD5 of a
-- question's id breaks ties.
-- Columns: run_id, dataset, model_label, format, prompt, kind; change_rank (1: the largest) of n_pairs, n questions;
-- example_id, question, answers; for either prompt (null_… and the prompt's own) first_answer (of two steps, the
-- first one's), reply, quip, answer_score; change of quip; answer_metric (exact_match, or rouge_l for long answers). It
-- shows the first sample and estimates nothing.
-- Needs: scores
with asked as (
    select
        run_id, dataset, format, model, revision, model_label, prompt, kind, place,
        len(scores) as n
    from according_to_cells
    where metric = 'quip'
),

replies as (
    select
        generation_id, run_id, model, coalesce(revision, '') as revision, example_id, variant as prompt, value as quip
    from calls
    inner join scores using (generation_id)
    where task = 'according-to' and sample = 0 and metric = 'quip' and value is not null
),

pairs as (
    select
        replies.*,
        null_replies.generation_id as null_generation_id,
        null_replies.quip as null_quip,
        replies.quip - null_replies.quip as change
    from replies
    inner join replies as null_replies using (run_id, model, revision, example_id)
    where replies.prompt <> 'null' and null_replies.prompt = 'null'
),

ranked as (
    select
        *,
        row_number() over (of_prompt order by change desc, md5(example_id) asc, example_id asc) as change_rank,
        count(*) over of_prompt as n_pairs
    from pairs
    window of_prompt as (partition by run_id, model, revision, prompt)
    qualify change_rank <= 2 or change_rank > n_pairs - 2 or change_rank = (n_pairs + 1) // 2
),

-- Only the replies that are shown are read whole.
shown as (
    select generation_id from ranked
    union
    select null_generation_id from ranked
),

answers as (
    select
        generation_id,
        max(value) filter (where metric in ('exact_match', 'rouge_l')) as answer_score,
        if(bool_or(metric = 'rouge_l'), 'rouge_l', 'exact_match') as answer_metric
    from shown
    inner join scores using (generation_id)
    group by all
),

texts as (
    select
        generation_id, answer_score, answer_metric,
        replies.generation as reply,
        first_steps.generation as first_answer
    from answers
    inner join generations as replies using (generation_id)
    left join generations as first_steps on replies.parent_generation_id = first_steps.generation_id
)

select
    ranked.run_id, dataset, model_label, format, ranked.prompt, kind, change_rank, n_pairs, n, example_id,
    question, questions.answers,
    null_texts.first_answer as null_first_answer, null_texts.reply as null_reply, null_quip,
    null_texts.answer_score as null_answer_score,
    texts.first_answer, texts.reply, quip, texts.answer_score, change, texts.answer_metric
from ranked
inner join asked using (run_id, model, revision, prompt)
inner join texts using (generation_id)
inner join texts as null_texts on null_generation_id = null_texts.generation_id
inner join according_to_questions as questions
    on ranked.run_id = questions.run_id and ranked.example_id = questions.id
order by dataset, model_label, ranked.run_id, place, change_rank
