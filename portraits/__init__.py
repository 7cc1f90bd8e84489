"""Bloom portraits of corpora: build, save, load, query, quote, merge."""
