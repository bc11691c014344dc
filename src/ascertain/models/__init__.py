"""Models behind ports: embeddings, chat, reranking and entailment."""
