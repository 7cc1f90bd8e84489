"""Readers of replies: a value of a kind, or null with its reason."""
