"""The embedded store: a folder, no server."""

from contextlib import contextmanager

from ascertain.core.settings import StoreSettings

IS_SERVER = False


class Embedded:
    def settings(self, name, **fields):
        return StoreSettings(name=name, **fields)


@contextmanager
def backend(folder):
    yield Embedded()
