-- Is more quoted where the entities of question and answer occur together more often?
-- Source: Weller et al., "According to ...", section 4.4 and Figure 3
-- Grain: one row a dataset, model, metric, prompt and bin.
-- Columns: dataset, model_label, metric, prompt; cooccurrences_from, cooccurrences_to (passages in which they occur
-- together, the bin's bounds: 0, 1 to 9, 10 to 99, …); n questions, at most 400 a bin, drawn by MD5 of their id;
-- n_graded; score; share_unscored.
-- Needs: scores
with binned as (
    select
        run_id,
        id,
        if(cooccurrences = 0, 0, 1 + floor(log10(cooccurrences))::integer) as bin
    from according_to_questions
    where cooccurrences is not null
),

drawn as (
    select *
    from binned
    qualify row_number() over (partition by run_id, bin order by md5(id), id) <= 400
)

select
    replies.dataset,
    replies.model_label,
    replies.metric,
    replies.prompt,
    if(drawn.bin = 0, 0, pow(10, drawn.bin - 1))::bigint as cooccurrences_from,
    (pow(10, drawn.bin) - 1)::bigint as cooccurrences_to,
    count(*) as n,
    count(replies.value) as n_graded,
    avg(replies.value) as score,
    1 - count(replies.value) / count(*) as share_unscored
from according_to_replies as replies
inner join drawn on replies.run_id = drawn.run_id and replies.example_id = drawn.id
group by replies.dataset, replies.model_label, replies.metric, replies.prompt, drawn.bin, replies.place
order by replies.dataset, replies.model_label, replies.metric, replies.place, drawn.bin
