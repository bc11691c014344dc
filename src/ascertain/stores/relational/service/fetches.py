"""What is known of fetched addresses, in a table."""

from __future__ import annotations

from ascertain.stores.digests import digest
from ascertain.stores.relational.database import Database
from ascertain.stores.rows import microseconds, moment_of
from ascertain.stores.service.fetches import FetchState


class FetchTable:
    """A ``FetchStates``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, url: str, tenant: str = "default") -> FetchState | None:
        """What is known of an address."""
        finding = "SELECT fetched, etag, last_modified FROM fetch_states WHERE url_key = ?"
        found = self._database.fetch_rows(finding, digest(tenant, url))
        if not found:
            return None
        fetched, etag, last_modified = found[0]
        return FetchState(url, moment_of(fetched), etag, last_modified)

    def put(self, state: FetchState, tenant: str = "default") -> None:
        """Keep what is known now."""
        keeping = """INSERT INTO fetch_states (url_key, url, fetched, etag, last_modified) VALUES (?, ?, ?, ?, ?)
                     ON CONFLICT (url_key) DO UPDATE SET fetched = excluded.fetched, etag = excluded.etag,
                         last_modified = excluded.last_modified"""
        values = (
            digest(tenant, state.url),
            state.url,
            microseconds(state.fetched_at),
            state.etag,
            state.last_modified,
        )
        self._database.change_rows(keeping, *values)
