"""The report: gathered from queries, drawn as charts, written as one page or as Markdown."""
