"""Counts of bad input: portraits, run folders, dataset folders, plans, JSON lines and dumps, damaged at random."""
