"""Builds model-replies: what real models replied to the questions of this package, and how it was scored."""
