"""Models behind ports: embeddings now; chat, reranking and entailment beside them later."""
