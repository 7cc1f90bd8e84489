"""The expectations of diary-recall's rows."""
