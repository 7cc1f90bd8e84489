"""The tasks for lm-evaluation-harness, a YAML file each; ``python -m`` of this package prints their folder."""
