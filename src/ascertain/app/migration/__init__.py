"""Copying a knowledge base from one store to another, and proving that both are equal."""
