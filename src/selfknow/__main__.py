"""``python -m selfknow`` is the command ``selfknow``."""

from selfknow.cli import program

program()
