-- What `share` says where several shares stand in one row: its n_graded as n_NAME, its share as NAME, and its ends as
-- NAME_low and NAME_high. The trials are distinct prompts: at temperature 0 a hundred texts of one prompt are one
-- answer. Spread them as columns with `unnest`:
--
-- prompt_share(value, prompt_id)       n texts, n_graded, n_prompts (of graded texts), share, low and high (95%,
-- Wilson)
-- written_share(value, prompt_id)      of generation_correct
-- read_share(value, prompt_id)         of verification_correct
-- consistent_share(value, prompt_id)   of self_consistent
-- changed_share(value, prompt_id)      of answer_changed
-- true_share(value, prompt_id)         of all_correct
--
-- A list of one element that is transformed stands for a name.
create or replace macro graded_prompts(value, prompt_id) as (
    count(distinct prompt_id) filter (where value is not null)
);

create or replace macro prompt_share(value, prompt_id) as (
    {
        'n': count(*),
        'n_graded': count(value),
        'n_prompts': graded_prompts(value, prompt_id),
        'share': avg(value),
        'low': wilson_low(avg(value) * graded_prompts(value, prompt_id), graded_prompts(value, prompt_id)),
        'high': wilson_high(avg(value) * graded_prompts(value, prompt_id), graded_prompts(value, prompt_id))
    }
);

create or replace macro written_share(value, prompt_id) as (
    list_transform(
        [prompt_share(value, prompt_id)],
        lambda one: {
            'n_written': one.n_graded,
            'written': one.share,
            'written_low': one.low,
            'written_high': one.high
        }
    )[1]
);

create or replace macro read_share(value, prompt_id) as (
    list_transform(
        [prompt_share(value, prompt_id)],
        lambda one: {
            'n_read': one.n_graded,
            'read': one.share,
            'read_low': one.low,
            'read_high': one.high
        }
    )[1]
);

create or replace macro consistent_share(value, prompt_id) as (
    list_transform(
        [prompt_share(value, prompt_id)],
        lambda one: {
            'n_consistent': one.n_graded,
            'consistent': one.share,
            'consistent_low': one.low,
            'consistent_high': one.high
        }
    )[1]
);

create or replace macro changed_share(value, prompt_id) as (
    list_transform(
        [prompt_share(value, prompt_id)],
        lambda one: {
            'n_changed': one.n_graded,
            'changed': one.share,
            'changed_low': one.low,
            'changed_high': one.high
        }
    )[1]
);

create or replace macro true_share(value, prompt_id) as (
    list_transform(
        [prompt_share(value, prompt_id)],
        lambda one: {
            'n_true': one.n_graded,
            'true': one.share,
            'true_low': one.low,
            'true_high': one.high
        }
    )[1]
);
