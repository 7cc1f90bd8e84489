"""The expectations of according-to's rows."""
