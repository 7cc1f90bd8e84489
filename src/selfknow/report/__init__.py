"""The report: gathered from queries, drawn as charts, written as one page or as Markdown."""

TITLE = "How much do they know they know?"
"""The usual heading."""
