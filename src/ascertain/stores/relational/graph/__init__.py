"""The knowledge graph over tables of a database, in the SQL that SQLite and PostgreSQL have in common.

The tables are made by the migrations of each store. Whoever writes changes the row of the tenant first, which keeps the tenant's other writers
out until the end of the transaction; readers never wait.
"""
