"""GSM8K: grade-school mathematics, asked before and after a model is tuned."""
