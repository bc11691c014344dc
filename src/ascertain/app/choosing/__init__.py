"""Choosing models: which ones the settings name, what servers are on this machine, and what a model is good for."""
