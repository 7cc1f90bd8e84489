"""Run folders: their schema, their one writer, their readers and importers."""
