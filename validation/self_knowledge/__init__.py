"""The expectations of self-knowledge's rows."""
