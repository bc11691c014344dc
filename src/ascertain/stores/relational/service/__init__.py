"""The ports of ``stores.service_ports`` over tables of a database, in the SQL that SQLite and PostgreSQL have in common.

The tables are made by the migrations of each store; the content of files is kept by each store in its own way. Rows are
found by digests of tenant and id, which may be longer than an index takes. Times are microseconds since 1970.
"""
