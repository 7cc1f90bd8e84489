"""``python -m benchmarks``: the measurements of the corpora and the portraits, one after the other."""

from benchmarks import diary_recall, portraits, portraits_queries

for benchmark in (diary_recall, portraits, portraits_queries):
    benchmark.main()
