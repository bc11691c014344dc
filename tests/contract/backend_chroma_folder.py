"""Chroma inside the process, with its files in the home. Chroma answers however few chunks a filter selects."""

from contextlib import contextmanager

from ascertain.core.settings import StoreSettings

IS_SERVER = False


class ChromaFolder:
    def settings(self, name, **fields):
        return StoreSettings(kind="chroma", name=name, exact_limit=0, **fields)


@contextmanager
def backend(folder):
    yield ChromaFolder()
