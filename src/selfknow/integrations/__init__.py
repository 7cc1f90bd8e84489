"""The tasks of this package in other people's tools: Inspect and lm-evaluation-harness."""
