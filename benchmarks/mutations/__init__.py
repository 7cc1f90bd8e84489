"""Bad input, counted: portraits, run folders, dataset folders, plans, JSON lines and dumps, damaged at random."""
