"""Model replies: the replies of real models to the questions of this package, with their scores."""
