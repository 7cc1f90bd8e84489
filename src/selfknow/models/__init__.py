"""Models behind one small interface: local checkpoints, endpoints, generators of pictures."""
