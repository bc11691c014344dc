"""Whole documents: their outline, the sentences that carry it, and what they say of one aspect."""
