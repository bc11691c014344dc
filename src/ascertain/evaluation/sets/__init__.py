"""Evaluation sets on disk, suites of them, and knowledge bases built from them."""
