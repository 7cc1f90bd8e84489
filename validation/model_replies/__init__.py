"""What is expected of model-replies: of its rows, and of the run folders that they were read from."""
