"""``selfknow advanced``: what few people need, people's judgements and tuning on a model's own questions."""

from selfknow.cli import annotate, creations
from selfknow.cli.compact_help import CommandGroup

app = CommandGroup("advanced", "For single experiments: judgements of people, and models tuned on their own questions.")
app.add_typer(annotate.app)
app.add_typer(creations.app)
