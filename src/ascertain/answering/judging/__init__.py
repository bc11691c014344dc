"""Which sentences of the passages answer the question: signals of words, a small reader over many, a large one over the best few."""
