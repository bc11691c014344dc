"""Answering: passages become an answer whose every sentence is cited."""
