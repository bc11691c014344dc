"""Qdrant's engine inside the process, with its files in the home."""

from contextlib import contextmanager

from ascertain.core.settings import StoreSettings

IS_SERVER = False


class QdrantEdge:
    def settings(self, name, **fields):
        return StoreSettings(kind="qdrant", name=name, **fields)


@contextmanager
def backend(folder):
    yield QdrantEdge()
