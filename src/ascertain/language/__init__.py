"""What we know of words, once: word lists as data, tokens, sentences, numbers, dates, names."""
