"""Reading sources: files of every format as documents, feeds, web pages and arXiv."""
