"""The expectations of the rows of self-aware, self-aware-original and self-aware-nearest."""
