-- exact_matches: the answers with their exact match.
-- Grain: one row per answer, including failed requests.
-- Columns: those of `answers`; exact_match (1, 0, or null without a score), reason (the reason that it is not 1).
create or replace view exact_matches as
select answers.*, scores.value as exact_match, scores.reason
from answers
left join scores on answers.generation_id = scores.generation_id and scores.metric = 'exact_match';
