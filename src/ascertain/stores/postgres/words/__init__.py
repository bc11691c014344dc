"""Words on PostgreSQL: text vectors, queries over them, and BM25."""
