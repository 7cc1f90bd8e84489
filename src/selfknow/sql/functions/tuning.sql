-- is_base(model, model_label, instruction_tuned_from): whether a model is the one that another was tuned from. A run
-- says which that is (`selfknow evaluate --instruction-tuned-from`): by its name, its label, or what it is called
-- behind its endpoint's address.
create or replace macro is_base(model, model_label, instruction_tuned_from) as (
    instruction_tuned_from in (model, model_label) or ends_with(model, concat(' ', instruction_tuned_from))
);
