"""The growth of time and memory with size: portraits, runs and corpora, beside the machine's own limits."""
