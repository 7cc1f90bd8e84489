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
        count(*) as n
    from according_to_replies
    where metric = 'quip'
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

replies as (
    select
        calls.run_id, calls.model, coalesce(calls.revision, '') as revision, calls.example_id, calls.variant as prompt,
        first_step.generation as first_answer, calls.generation as reply, quip, answer_score, answer_metric
    from calls
    inner join graded using (generation_id)
    left join generations as first_step on calls.parent_generation_id = first_step.generation_id
    where calls.task = 'according-to' and calls.sample = 0 and quip is not null
),

null_replies as (
    select
        run_id, model, revision, example_id,
        first_answer as null_first_answer, reply as null_reply, quip as null_quip, answer_score as null_answer_score
    from replies
    where prompt = 'null'
),

ranked as (
    select
        *,
        quip - null_quip as change,
        row_number() over (of_prompt order by change desc, md5(example_id) asc, example_id asc) as change_rank,
        count(*) over of_prompt as n_pairs
    from replies
    inner join null_replies using (run_id, model, revision, example_id)
    inner join asked using (run_id, model, revision, prompt)
    where prompt <> 'null'
    window of_prompt as (partition by run_id, model, revision, prompt)
)

select
    ranked.run_id, dataset, model_label, format, prompt, kind, change_rank, n_pairs, n, example_id, question, answers,
    null_first_answer, null_reply, null_quip, null_answer_score, first_answer, reply, quip, answer_score, change,
    answer_metric
from ranked
inner join according_to_questions as questions
    on ranked.run_id = questions.run_id and ranked.example_id = questions.id
where change_rank <= 2 or change_rank > n_pairs - 2 or change_rank = (n_pairs + 1) // 2
order by dataset, model_label, ranked.run_id, place, change_rank
