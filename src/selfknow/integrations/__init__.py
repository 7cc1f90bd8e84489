"""The tasks of this package in other tools: Inspect and lm-evaluation-harness."""
