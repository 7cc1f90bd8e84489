"""Logs of other tools as run folders."""
