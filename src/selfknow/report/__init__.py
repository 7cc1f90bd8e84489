"""The report of runs: rows of queries and charts of them, on one HTML page or in Markdown."""

TITLE = "How much do they know they know?"
"""The default title of a report."""
