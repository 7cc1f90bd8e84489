"""``selfknow advanced``: commands for special experiments, with people's judgements and models' own questions."""

from selfknow.cli import annotate, creations
from selfknow.cli.compact_help import CommandGroup

app = CommandGroup("advanced", "Collect people's judgements, and tune models on their own questions.")
app.add_typer(annotate.app)
app.add_typer(creations.app)
