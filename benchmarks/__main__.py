"""``python -m benchmarks``: the measurements of the corpora, the portraits, the SQL and the models, one after the other."""

from benchmarks import diary_recall, portraits, portraits_queries, sql, training

for benchmark in (diary_recall, portraits, portraits_queries, sql, training):
    benchmark.main()
