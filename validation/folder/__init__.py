"""The expectations of any dataset folder: its files, its card, its manifest."""
