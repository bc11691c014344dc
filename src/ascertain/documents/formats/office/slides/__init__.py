"""Presentations: those of PowerPoint and of OpenDocument."""
