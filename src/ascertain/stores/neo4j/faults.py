"""What the driver raises, turned into errors with a remedy."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from neo4j import exceptions

from ascertain.core.errors import AscertainError, StoreBusy, StoreError
from ascertain.core.settings import GraphSettings

_NO_DATABASE = "Neo.ClientError.Database.DatabaseNotFound"
_FORBIDDEN = "Neo.ClientError.Security.Forbidden"


@contextmanager
def translated(settings: GraphSettings, place: str) -> Generator[None]:
    """Raise what happens inside as StoreError; errors made on purpose pass. ``place`` names the server, without secrets."""
    try:
        yield
    except AscertainError:
        raise
    # The driver says by a ValueError that no server has the name.
    except (exceptions.DriverError, exceptions.Neo4jError, OSError, ValueError) as error:
        raise store_error(error, settings, place) from error


def store_error(error: Exception, settings: GraphSettings, place: str) -> StoreError:
    """What went wrong at ``place`` and what to do."""
    said = _said(error)
    if isinstance(error, exceptions.AuthError):
        return StoreError(
            f"{place} refused user and password: check graph.user, and the environment variable {settings.key_variable} for "
            "the password"
        )
    if isinstance(error, exceptions.ServiceUnavailable | exceptions.SessionExpired | OSError | ValueError):
        return StoreError(
            f"no connection to {place} ({said}): check that the server runs and that graph.url is right, then try again; "
            "everything acknowledged so far is kept"
        )
    if isinstance(error, exceptions.Neo4jError) and error.code == _NO_DATABASE:
        return StoreError(
            f"{place} has no database {settings.database!r}: create it there, or set graph.database to one that is there"
        )
    if isinstance(error, exceptions.Neo4jError) and error.code == _FORBIDDEN:
        return StoreError(
            f"{place} does not allow this ({said}): ask its administrator for the right to read and write the database"
        )
    if isinstance(error, exceptions.TransientError):
        return StoreBusy(
            f"other writers kept {place} busy ({said}): try again, or raise store.timeout_seconds"
        )
    return StoreError(f"{place} refused the operation: {said}")


def _said(error: Exception) -> str:
    words = error.message if isinstance(error, exceptions.Neo4jError) else str(error)
    return " ".join((words or "").split())[:500] or type(error).__name__
