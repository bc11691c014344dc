"""The analysis of whole periods: every document is read once, and what all of them say together is told."""
