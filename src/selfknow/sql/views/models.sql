-- models: the models of each run, and what is known about them.
-- Grain: one row a run, model and revision.
-- Columns: run_id, model, revision; checkpoint (the revision where it is a commit or a hash of the weights, else the
-- model); task; cohort (a number: what a task compares, in the order in which tables and charts show them) and
-- training_number (the checkpoints of a cohort, from 0); what makes a cohort: suite (OPT, Pythia, Flan-T5, an
-- architecture, or the label of a model that is none of them), model_label (short, with what sets it apart from others
-- of its name), num_parameters, pretrained (it started from a pretrained checkpoint; false: from random weights),
-- quantization, precision, recipe (what is not as its defaults have it, in words) and recipe_hash, trained_on (the
-- config of the corpus it was trained on), corpus_hash (its content) and corpus_seed, model_id (what it is, but for
-- that corpus), and the columns by which tasks tell their runs apart; parent and parent_revision (the checkpoint that
-- its training started from), training_seed; epochs and training_tokens (how far the training went);
-- recall_of_documents and recall_of_training_questions (shares of samples of what it was to learn, recalled word for
-- word); instruction_tuned and instruction_tuned_from (the model it was tuned from). All of them are null where nobody
-- knows.
--
-- They are what run.json says (src/selfknow/sql/models_table.py). Models of the paper are known by their exact names
-- (Prato et al., Table 4); nothing is read out of a path.
create or replace view models as
select * from asked_models;
