"""The Bloom filter beneath a portrait: its layout, its hash and its fast paths."""
