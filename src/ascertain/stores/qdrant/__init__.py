"""The chunk store on a Qdrant server, over its REST interface.

Qdrant has no transactions; ``writes`` and ``versions`` say how documents are whole nevertheless. In a folder, without a server, the
embedded store does what Qdrant's engine would.
"""

from importlib.util import find_spec

from ascertain.core.errors import MissingExtra
from ascertain.stores.registry import StoreKind

if find_spec("qdrant_client") is None:
    raise MissingExtra("The Qdrant store", "qdrant")

KIND = StoreKind(
    open_store="ascertain.stores.qdrant.store:open_qdrant",
    read_model="ascertain.stores.qdrant.collection:stored_model",
    read_schema="ascertain.stores.qdrant.collection:read_schema",
    checks_model=True,
)
