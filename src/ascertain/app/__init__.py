"""The composition root: everything below, built from the settings."""
