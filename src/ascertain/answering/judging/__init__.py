"""Which sentences of the passages answer the question: word signals, a small reader over many, a large one over the best few."""
