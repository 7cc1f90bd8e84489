"""Hugging Face ``datasets`` builders, one file a dataset, and what writes a dataset folder."""
