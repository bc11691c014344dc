"""Nouns as stores write them: rows, encodings, vectors, the words of the lexical index."""
