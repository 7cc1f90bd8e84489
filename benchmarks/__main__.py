"""``python -m benchmarks``: the measurements of the corpora, the portraits and the SQL, one after the other."""

from benchmarks import diary_recall, portraits, portraits_queries, sql

for benchmark in (diary_recall, portraits, portraits_queries, sql):
    benchmark.main()
