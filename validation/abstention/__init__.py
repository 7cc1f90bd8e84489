"""The expectations of abstention's rows."""
