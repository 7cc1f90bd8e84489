"""The tasks for lm-evaluation-harness, a YAML file each: ``lm_eval run --include_path $(selfknow lm-eval-tasks) …``."""
