"""Pictures: image generators, storage in a run, and vision-language models."""
