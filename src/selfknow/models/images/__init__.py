"""Image generators, the storage of pictures in a run, and vision-language models."""
