"""Plans, which list the models to train and ask for a table or a figure, and the code that runs them.

A plan is a YAML file (``datasets_src/plans/PAPER/NAME.yaml``, or a user's own). :mod:`~selfknow.reproduce.plan` reads
it, :mod:`~selfknow.reproduce.cells` expands it into cells, :mod:`~selfknow.reproduce.run` runs those that are not
finished, and :mod:`~selfknow.reproduce.conclude` puts their results beside the paper's.
"""
