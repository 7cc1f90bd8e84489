"""The one door to the Hub: plan, publish and pull, for datasets and portraits alike."""
