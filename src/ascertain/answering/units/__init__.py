"""The units that answers are made of: sentences, quotes, rows, definitions, and which version they are of."""
