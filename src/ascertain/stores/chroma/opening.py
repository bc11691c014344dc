"""Opening a knowledge base whose vectors are in Chroma."""

from __future__ import annotations

from pathlib import Path

from ascertain.core.settings import StoreSettings
from ascertain.stores.chroma.leg import ChromaLeg
from ascertain.stores.chroma.server import Chroma
from ascertain.stores.embedded.opening import open_record
from ascertain.stores.embedded.store import EmbeddedStore
from ascertain.stores.generations import Generation


def open_chroma(
    settings: StoreSettings, home: Path, embedder_name: str, dimension: int, *, create: bool = True
) -> EmbeddedStore:
    """The store with its record in ``home`` and its vectors in Chroma: at ``store.url``, or without one in ``home``.

    Raises what ``open_embedded`` raises, MissingExtra without chromadb, and StoreError when Chroma cannot be used.
    """
    chroma = Chroma(settings, home)
    try:
        if chroma.folder is None:
            with chroma.using() as client:
                client.heartbeat()
        wanted = Generation(0, embedder_name, dimension)
        return open_record(settings, home, wanted, create, lambda record: ChromaLeg(chroma, record))
    except BaseException:
        chroma.close()
        raise
