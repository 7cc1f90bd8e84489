"""Models behind one small interface: local checkpoints, endpoints, functions and image generators."""
