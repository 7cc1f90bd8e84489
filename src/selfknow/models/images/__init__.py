"""Pictures: who draws them, how they are kept in a run, and who looks at them."""
