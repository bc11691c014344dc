"""A Qdrant server over HTTP; ``tests/servers/qdrant_rest.py`` says what of it is real."""

import sys
from contextlib import contextmanager
from pathlib import Path

from qdrant_client import QdrantClient

from ascertain.core.settings import StoreSettings

sys.path.insert(0, str(Path(__file__).parents[1] / "servers"))

from qdrant_rest import QdrantRestServer

IS_SERVER = True


class Qdrant:
    """Places on a server; ``suffix`` tells them from those of others."""

    def __init__(self, url, suffix=""):
        self.url = url
        self._suffix = suffix
        self._names = set()

    def settings(self, name, **fields):
        name = f"{name}{self._suffix}"
        self._names.add(name)
        return StoreSettings(kind="qdrant", url=self.url, name=name, **fields)

    def delete_places(self):
        """Delete what was made here: an open collection takes hundreds of memory maps, of which a process has 65,530."""
        client = QdrantClient(url=self.url)
        for name in self._names:
            client.delete_collection(name)
        client.close()
        self._names.clear()


class OwnQdrant(QdrantRestServer):
    """A server that its test may stop and start."""

    def settings(self, name, **fields):
        return Qdrant(self.url).settings(name, **fields)


@contextmanager
def backend(folder):
    server = OwnQdrant(folder / "collections")
    try:
        yield server
    finally:
        server.stop()


def connect_to_shared(url, worker):
    """Places of one's own on a server that others use as well."""
    return Qdrant(url, f"_{worker}")
