"""The store on a PostgreSQL server with the pgvector extension: one schema for each knowledge base.

The tables are the record and the indexes in one; whatever is committed is searchable at once.
"""

from __future__ import annotations

from importlib.util import find_spec

from ascertain.core.errors import MissingExtra

if find_spec("psycopg") is None:
    raise MissingExtra("The PostgreSQL store", "postgres")
