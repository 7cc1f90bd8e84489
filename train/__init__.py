"""The papers' model suites and training recipes on the ``transformers`` Trainer."""
