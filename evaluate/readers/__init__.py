"""Readers of replies: each returns a value of its kind, or null with a reason."""
