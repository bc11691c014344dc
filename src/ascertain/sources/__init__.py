"""Everything outside: files of every format as documents. Feeds, web pages and arXiv belong here too."""
