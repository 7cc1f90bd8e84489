"""``python -m benchmarks``: corpora, portraits, SQL and training, measured one after the other."""

from benchmarks import diary_recall, portraits, portraits_queries, sql, training

for benchmark in (diary_recall, portraits, portraits_queries, sql, training):
    benchmark.main()
