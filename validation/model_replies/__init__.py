"""The expectations of model-replies: of its rows, and of the run folders that they come from."""
