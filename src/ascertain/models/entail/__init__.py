"""Entailment: whether a text supports a claim."""
