"""Copying a knowledge base from one store to another, and verifying that both are equal."""
