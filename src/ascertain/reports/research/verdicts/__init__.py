"""A claim compared with one sentence or row of a document: how far it says the claim, and what in it speaks against it."""
