"""Speed and memory, measured side by side in one run; the results stand in ``docs/benchmarks.md``."""
