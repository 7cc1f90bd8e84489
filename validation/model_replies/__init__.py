"""The expectations of model-replies' rows and of their run folders."""
