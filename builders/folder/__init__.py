"""The writer of dataset folders: Parquet files, content hashes, the card, the manifest."""
