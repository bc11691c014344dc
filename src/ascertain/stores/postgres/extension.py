"""The pgvector extension: found, installed where that is allowed, recent enough."""

from __future__ import annotations

import re

from psycopg import errors

from ascertain.core.errors import StoreError
from ascertain.stores.postgres.connections import Connections

OLDEST = (0, 8)
"""The first version whose index scans go on until enough rows pass a filter."""


def require_extension(connections: Connections, *, create: bool) -> None:
    """Make sure that vectors can be stored in this database; StoreError with the remedy otherwise.

    Once for a database: several knowledge bases share the extension, so it is kept out of their schemas.
    """
    if connections.find_extension() is None:
        if not create:
            raise _missing(connections.place, "it is not installed")
        _install(connections)
        connections.find_extension()
    with connections.read() as db:
        row = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    version = str(row[0]) if row else "none"
    if tuple(int(part) for part in re.findall(r"\d+", version)[:2]) < OLDEST:
        raise StoreError(
            f"{connections.place} has version {version} of the vector extension, Ascertain needs "
            f"{OLDEST[0]}.{OLDEST[1]}: install a newer pgvector there and run ALTER EXTENSION vector UPDATE"
        )


def _install(connections: Connections) -> None:
    with connections.alone() as db:
        try:
            db.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        except errors.UniqueViolation:
            # Somebody else created it at the same moment.
            return
        except errors.InsufficientPrivilege as error:
            raise _missing(connections.place, "this user may not install it") from error
        except (errors.UndefinedFile, errors.FeatureNotSupported, errors.InvalidSchemaName) as error:
            raise _missing(connections.place, str(error.diag.message_primary)) from error


def _missing(place: str, why: str) -> StoreError:
    return StoreError(
        f"{place} lacks the vector extension ({why}): let an administrator of the database install pgvector and run "
        "CREATE EXTENSION vector"
    )
