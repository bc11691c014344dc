"""Measuring retrieval and answers on labelled sets, through the same code a user runs."""
