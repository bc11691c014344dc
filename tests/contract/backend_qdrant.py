"""A Qdrant server over HTTP; ``tests/servers/qdrant_rest.py`` says what of it is real."""

import sys
from contextlib import contextmanager
from pathlib import Path

from ascertain.core.settings import StoreSettings

sys.path.insert(0, str(Path(__file__).parents[1] / "servers"))

from qdrant_rest import QdrantRestServer

IS_SERVER = True


class Qdrant(QdrantRestServer):
    def settings(self, name, **fields):
        return StoreSettings(kind="qdrant", url=self.url, name=name, **fields)


@contextmanager
def backend(folder):
    server = Qdrant(folder / "collections")
    try:
        yield server
    finally:
        server.stop()
