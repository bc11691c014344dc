"""The ports of ``stores.service_ports`` in the SQL that SQLite and PostgreSQL have in common.

Rows are found by digests of tenant and id, which may be longer than an index takes. Times are microseconds since 1970.
"""
