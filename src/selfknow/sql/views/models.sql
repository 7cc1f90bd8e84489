-- models: the models of each run, and the known facts about them.
-- Grain: one row per run, model and revision.
-- Columns: run_id, model, revision; checkpoint (the revision if it is a commit or a hash of the weights, else the
-- model); task; cohort (its number, in the order of tables and charts) and training_number (the number of the
-- checkpoint in its cohort, from 0); the columns that make a cohort: suite (OPT, Pythia, Flan-T5, an architecture, or
-- else the model's label), model_label (short, with the settings that tell it from models of the same name),
-- num_parameters, pretrained (it started from a pretrained checkpoint; false: from random weights), quantization,
-- precision, recipe (the settings that differ from the defaults, in words) and recipe_hash, trained_on (the config of
-- its training corpus), corpus_hash (the content of that corpus) and corpus_seed, model_id (the model's identity
-- without that corpus), and the columns by which tasks tell their runs apart; parent and parent_revision (the
-- checkpoint that its training started from), training_seed; epochs and training_tokens (the length of the training);
-- recall_of_documents and recall_of_training_questions (the shares of samples of its training data that it recalls word
-- for word); instruction_tuned and instruction_tuned_from (its base model). An unknown fact is null.
--
-- The facts are those in run.json (src/selfknow/sql/models_table.py). Models of the paper are known by their exact
-- names (Prato et al., Table 4); nothing is guessed from a path.
create or replace view models as
select * from asked_models;
