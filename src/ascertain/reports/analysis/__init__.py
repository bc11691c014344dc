"""Analysis of many documents: one map a document by rules or a chat model, and what all maps together say."""
