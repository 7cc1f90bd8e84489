-- Does it quote the corpus more than a similar text that it cannot have seen, such as a later edition?
-- Source: ours; Weller et al., "According to ...", compare prompts over one corpus
-- Grain: one row per run, model and prompt, the null prompt among them.
-- Columns: dataset, model_label, num_parameters, run_id, prompt, kind; n questions, n_graded (with a QUIP over both
-- portraits); quip (over the corpus), unseen_quip (over a later edition, or another translation of the same text),
-- surplus (quip minus unseen_quip, over the same replies), surplus_low, surplus_high; n_pairs (questions graded under
-- this prompt and the null prompt), surplus_change (from the null prompt's surplus), change_low, change_high (95%,
-- Student's t over questions; null for fewer than three); chance_surplus (0: it quotes both alike).
-- Needs: scores, portrait corpus, portrait unseen
with measured as (
    select
        run_id, model, revision, example_id, prompt,
        avg(quip(text, 'corpus')) as quip,
        avg(quip(text, 'unseen')) as unseen_quip,
        avg(quip(text, 'corpus') - quip(text, 'unseen')) as surplus
    from according_to_explanations
    group by all
),

plain as (
    select run_id, model, revision, example_id, surplus as null_surplus
    from measured
    where prompt = 'null'
),

asked as (
    select distinct
        dataset, model_label, num_parameters, run_id, model, revision, prompt, kind, place, example_id
    from according_to_replies
),

totals as (
    select
        dataset, model_label, num_parameters, run_id, model, revision, prompt, kind, place,
        count(*) as n,
        avg(quip) filter (where surplus is not null) as quip,
        avg(unseen_quip) filter (where surplus is not null) as unseen_quip,
        mean_interval(surplus) as surplus,
        mean_interval(if(prompt = 'null', null, surplus - null_surplus)) as change
    from asked
    left join measured using (run_id, model, revision, example_id, prompt)
    left join plain using (run_id, model, revision, example_id)
    group by all
)

select
    dataset, model_label, num_parameters, run_id, prompt, kind, n, surplus.n as n_graded, quip, unseen_quip,
    surplus.mean as surplus, surplus.low as surplus_low, surplus.high as surplus_high,
    change.n as n_pairs, change.mean as surplus_change, change.low as change_low, change.high as change_high,
    0.0 as chance_surplus
from totals
order by dataset, model_label, num_parameters, run_id, place
