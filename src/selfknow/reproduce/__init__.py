"""Plans: which models are trained and asked for a table or a figure, as data, and what runs them.

A plan is a YAML file (``datasets_src/plans/PAPER/NAME.yaml``, or a user's own). :mod:`~selfknow.reproduce.plan` reads
it, :mod:`~selfknow.reproduce.cells` expands it into cells, :mod:`~selfknow.reproduce.run` runs those that are not
finished, and :mod:`~selfknow.reproduce.conclude` says what came of them, beside what the paper printed.
"""
