"""Self-knowledge: prompts to write a text, questions about it, and the Hugging Face builder."""
