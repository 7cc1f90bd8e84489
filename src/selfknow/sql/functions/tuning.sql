-- is_base(model, model_label, instruction_tuned_from): true for the base model of a tuned model. The tuned model's run
-- (`selfknow evaluate --instruction-tuned-from`) has the base model's name, its label, or its name at an endpoint.
create or replace macro is_base(model, model_label, instruction_tuned_from) as (
    instruction_tuned_from in (model, model_label) or ends_with(model, concat(' ', instruction_tuned_from))
);
