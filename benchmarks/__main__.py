"""``python -m benchmarks``: the measurements of corpora, portraits, SQL and models, one after the other."""

from benchmarks import diary_recall, portraits, portraits_queries, sql, training

for benchmark in (diary_recall, portraits, portraits_queries, sql, training):
    benchmark.main()
