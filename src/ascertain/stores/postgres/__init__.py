"""The store on a PostgreSQL server with the pgvector extension: one schema for each knowledge base.

The tables are the record and the indexes in one; committed data is searchable at once.
"""

from importlib.util import find_spec

from ascertain.core.errors import MissingExtra
from ascertain.stores.registry import StoreKind

if find_spec("psycopg") is None:
    raise MissingExtra("The PostgreSQL store", "postgres")

KIND = StoreKind(
    open_store="ascertain.stores.postgres.opening:open_postgres",
    read_model="ascertain.stores.postgres.opening:stored_model",
    open_conversations="ascertain.stores.postgres.opening:open_postgres_conversations",
    open_ingest_log="ascertain.stores.postgres.opening:open_postgres_ingest_log",
    open_service="ascertain.stores.postgres.opening:open_postgres_service",
    open_graph="ascertain.stores.postgres.opening:open_postgres_graph",
    create_schema="ascertain.stores.postgres.opening:create_schema",
    read_schema="ascertain.stores.postgres.opening:read_schema",
    checks_model=True,
)
