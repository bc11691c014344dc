"""Profiles of documents."""
