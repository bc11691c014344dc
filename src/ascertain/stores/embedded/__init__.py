"""The embedded store: one folder, no server.

``record.sqlite3`` is the record. The Tantivy index in ``lexical/`` and the FAISS index in ``vectors/`` are derived
from it through its change log and can be deleted at any time.
"""

from ascertain.stores.registry import StoreKind

KIND = StoreKind(
    open_store="ascertain.stores.embedded.opening:open_embedded_store",
    read_model="ascertain.stores.embedded.opening:stored_model",
    open_conversations="ascertain.stores.embedded.tables:open_embedded_conversations",
    open_ingest_log="ascertain.stores.embedded.tables:open_embedded_ingest_log",
    open_service="ascertain.stores.embedded.tables:open_embedded_service",
    open_graph="ascertain.stores.embedded.tables:open_embedded_graph",
    read_schema="ascertain.stores.embedded.opening:read_schema",
    checks_model=True,
)
