-- A table that several queries read. The view `corpus` holds the rows of the config, with their `split`.

-- prompts. Grain: a prompt of a row, ours or the paper's.
-- Columns: split, id, style, kind, is_asked (true if it asks about the written text), prompt.
create temp table prompts as
with prompts_of_row as (
    select
        split, id, style, params,
        unnest([
            { 'kind': 'generate', 'is_asked': false, 'text': generate_prompt },
            { 'kind': 'verify', 'is_asked': true, 'text': verify_prompt },
            { 'kind': 'dual', 'is_asked': true, 'text': dual_prompt },
            { 'kind': 'altered', 'is_asked': true, 'text': params ->> 'altered_verify_prompt' },
            { 'kind': 'paper generate', 'is_asked': false, 'text': params -> 'paper' ->> 'generate_prompt' },
            { 'kind': 'paper verify', 'is_asked': true, 'text': params -> 'paper' ->> 'verify_prompt' },
            { 'kind': 'paper dual', 'is_asked': true, 'text': params -> 'paper' ->> 'dual_prompt' },
            { 'kind': 'paper altered', 'is_asked': true, 'text': params -> 'paper' ->> 'altered_verify_prompt' }
        ]) as prompt
    from corpus
    where json_valid(params)
)

select
    split, id, style, prompt.kind, prompt.is_asked, prompt.text as prompt
from prompts_of_row
where prompt.text is not null;
