"""The time and memory of portraits, runs and corpora as their size grows, beside the limits of the machine."""
