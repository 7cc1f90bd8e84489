"""Kills, counted: ``kill -9`` at random moments, and the files afterwards and after the same command again."""
