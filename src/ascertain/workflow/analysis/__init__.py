"""The analysis of whole periods: every document is read once, and what they say together is reported."""
