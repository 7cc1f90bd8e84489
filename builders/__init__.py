"""Hugging Face ``datasets`` builders, a folder for each task, and the writer of dataset folders."""
