"""The search itself: legs, fusion, iteration, and the passages that come of it."""
