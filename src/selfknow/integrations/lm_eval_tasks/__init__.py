"""The tasks for lm-evaluation-harness, one YAML file each; ``python -m`` of this package prints their folder."""
