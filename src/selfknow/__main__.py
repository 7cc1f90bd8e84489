"""The command ``selfknow`` as ``python -m selfknow``."""

from selfknow.cli import program

program()
