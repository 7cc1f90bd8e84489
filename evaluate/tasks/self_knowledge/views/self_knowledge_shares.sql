-- Macros for several shares in one row: n_NAME (graded), NAME (the share), NAME_low and NAME_high (its interval). The
-- trials are distinct prompts, because at temperature 0 a hundred texts of one prompt are the same. Spread the struct
-- into columns with `unnest`:
--
-- prompt_share(value, prompt_id)       n texts, n_graded, n_prompts (of graded texts), share, low and high (95%,
-- Wilson)
-- written_share(value, prompt_id)      of generation_correct
-- read_share(value, prompt_id)         of verification_correct
-- consistent_share(value, prompt_id)   of self_consistent
-- changed_share(value, prompt_id)      of answer_changed
-- true_share(value, prompt_id)         of all_correct
--
-- correlation(x, y)                    -1 to 1; null if one of the two never varies
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

-- The same for rows that are prompts, each with its number n of graded texts and the total of their values. trials is
-- the number of trials of the interval.
create or replace macro share_over_trials(n, total, trials) as (
    {
        'n_graded': sum(n)::bigint,
        'share': sum(total) / sum(n),
        'low': wilson_low(sum(total) / sum(n) * trials, trials),
        'high': wilson_high(sum(total) / sum(n) * trials, trials)
    }
);

-- Every prompt with a graded text is a trial.
create or replace macro share_over_prompts(n, total) as (
    share_over_trials(n, total, count(*) filter (where n > 0))
);

-- The share of right answers: equal texts of several prompts are asked about in equal words, and are one trial, too.
-- questions: for each prompt, the distinct hashes of the questions with a graded answer.
create or replace macro share_over_questions(n, total, questions) as (
    share_over_trials(
        n, total, least(count(*) filter (where n > 0), len(list_distinct(flatten(list(questions)))))
    )
);

-- The columns of each share.
create or replace macro as_written(shares) as (
    { 'n_written': shares.n_graded, 'written': shares.share, 'written_low': shares.low, 'written_high': shares.high }
);

create or replace macro as_read(shares) as (
    { 'n_read': shares.n_graded, 'read': shares.share, 'read_low': shares.low, 'read_high': shares.high }
);

create or replace macro as_consistent(shares) as (
    {
        'n_consistent': shares.n_graded,
        'consistent': shares.share,
        'consistent_low': shares.low,
        'consistent_high': shares.high
    }
);

create or replace macro as_changed(shares) as (
    { 'n_changed': shares.n_graded, 'changed': shares.share, 'changed_low': shares.low, 'changed_high': shares.high }
);

create or replace macro as_true(shares) as (
    { 'n_true': shares.n_graded, 'true': shares.share, 'true_low': shares.low, 'true_high': shares.high }
);

create or replace macro written_share(value, prompt_id) as (as_written(prompt_share(value, prompt_id)));
create or replace macro read_share(value, prompt_id) as (as_read(prompt_share(value, prompt_id)));
create or replace macro consistent_share(value, prompt_id) as (as_consistent(prompt_share(value, prompt_id)));
create or replace macro changed_share(value, prompt_id) as (as_changed(prompt_share(value, prompt_id)));
create or replace macro true_share(value, prompt_id) as (as_true(prompt_share(value, prompt_id)));

create or replace macro correlation(x, y) as (if(var_pop(x) > 0 and var_pop(y) > 0, corr(x, y), null));
