"""A small Hub on loopback: the real clients publish to it and load from it, without an account or a network."""
