"""Measurements of speed and memory, side by side with other tools; ``docs/benchmarks.md`` has the results."""
