"""Chroma, embedded or on a server, as the vector index of a record in the home.

A single Chroma ranks no words and has no transactions, so the record (``stores.embedded``) stays and holds
the words; Chroma holds the chunks' vectors and the fields of filters, and can be rebuilt from the record at any
time.
"""

from ascertain.stores.registry import StoreKind

KIND = StoreKind(
    open_store="ascertain.stores.chroma.search:open_chroma",
    read_model="ascertain.stores.embedded.opening:stored_model",
    read_schema="ascertain.stores.embedded.opening:read_schema",
    checks_model=True,
)
