"""The chunk store in Qdrant: a server by address, or the same engine inside the process on a folder of the home.

Qdrant has no transactions; ``writes`` and ``versions`` say how documents are whole nevertheless.
"""

from ascertain.stores.registry import StoreKind

KIND = StoreKind(
    open_store="ascertain.stores.qdrant.store:open_qdrant",
    read_model="ascertain.stores.qdrant.collection:stored_model",
    read_schema="ascertain.stores.qdrant.collection:read_schema",
    checks_model=True,
)
