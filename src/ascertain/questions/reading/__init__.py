"""One question read once, where it comes in: everything behind asks the reading and not the words again (QU-1)."""
