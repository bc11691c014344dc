"""Tables of documents, computed: rows with typed columns in a database in memory, a question as a query over them, and the answer with the
rows that it rests on.
"""
