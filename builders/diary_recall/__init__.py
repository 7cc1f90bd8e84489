"""Diary recall: fictitious diarists, their diaries, and the Hugging Face builder."""
