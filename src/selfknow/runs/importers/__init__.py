"""Importers that turn logs of other tools into run folders."""
