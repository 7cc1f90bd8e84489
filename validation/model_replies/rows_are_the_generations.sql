-- the rows are the generations of the runs, to the letter
-- Grain: a row without a generation, a generation without a row, or a pair that differs.
-- Columns: id, columns (those that differ; none if there is no pair), problem.
with pairs as (
    select
        coalesce(corpus.id, generations.generation_id) as id,
        case
            when corpus.id is null then 'no row'
            when generations.generation_id is null then 'no generation'
            else 'differs'
        end as problem,
        list_filter(
            [
                if(corpus.example_id is distinct from generations.example_id, 'example_id', null),
                if(corpus.stage is distinct from generations.stage, 'stage', null),
                if(corpus.variant is distinct from generations.variant, 'variant', null),
                if(corpus.sample is distinct from generations.sample, 'sample', null),
                if(corpus.attempt is distinct from generations.attempt, 'attempt', null),
                if(corpus.parent_id is distinct from generations.parent_generation_id, 'parent_id', null),
                if(corpus.prompt is distinct from generations.prompt, 'prompt', null),
                if(corpus.generation is distinct from generations.generation, 'generation', null),
                if(corpus.finish_reason is distinct from generations.finish_reason, 'finish_reason', null),
                if(corpus.prompt_tokens is distinct from generations.prompt_tokens, 'prompt_tokens', null),
                if(corpus.completion_tokens is distinct from generations.completion_tokens, 'completion_tokens', null),
                if(corpus.logprob is distinct from generations.logprob, 'logprob', null),
                if(corpus.error is distinct from generations.error, 'error', null)
            ],
            lambda name: name is not null
        ) as columns
    from corpus
    full join generations on corpus.id = generations.generation_id
)

select
    id,
    if(problem = 'differs', columns, []) as columns,
    problem
from pairs
where problem <> 'differs' or len(columns) > 0
order by all
