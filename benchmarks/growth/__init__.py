"""How time and memory grow with size: portraits, runs and corpora, beside what the machine needs at least."""
