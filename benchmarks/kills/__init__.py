"""Counts of kills: ``kill -9`` at random moments, a check of the files, and the same command again."""
