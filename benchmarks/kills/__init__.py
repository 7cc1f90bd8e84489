"""Kills, counted: ``kill -9`` at random moments, and what stands there afterwards and after the same command again."""
