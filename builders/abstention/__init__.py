"""Abstention: three public question sets, fetched and pinned, in the columns of self-aware."""
