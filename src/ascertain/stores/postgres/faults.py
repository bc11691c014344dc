"""What psycopg raises, turned into errors with a remedy."""

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from ascertain.core.errors import AscertainError, StoreBusy, StoreError

_RETRIED = (errors.DeadlockDetected, errors.SerializationFailure)
_FULL = (errors.DiskFull, errors.OutOfMemory, errors.TooManyConnections, errors.ConfigurationLimitExceeded)


def is_passing(error: psycopg.Error) -> bool:
    """Whether another writer was in the way, so that the same transaction can succeed when it is run again."""
    return isinstance(error, _RETRIED)


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection went rather than the statement failed."""
    return isinstance(
        error, errors.AdminShutdown | errors.CrashShutdown | errors.CannotConnectNow | psycopg.InterfaceError
    ) or (isinstance(error, psycopg.OperationalError) and error.sqlstate is None)


@contextmanager
def translate_errors(place: str) -> Generator[None]:
    """Raise errors inside as StoreError; errors made on purpose pass. ``place`` has no secrets."""
    try:
        yield
    except AscertainError:
        raise
    except psycopg.Error as error:
        raise store_error(error, place) from error


def store_error(error: psycopg.Error, place: str) -> StoreError:
    """What went wrong at ``place`` and what to do."""
    said = _describe_error(error)
    if is_lost(error):
        return StoreError(
            f"no connection to {place} ({said}): check that the server runs and is reachable, then try again; "
            "everything acknowledged so far is stored"
        )
    if isinstance(error, errors.QueryCanceled):
        return StoreError(
            f"{place} did not finish in time ({said}): try again, raise store.timeout_seconds, or run "
            "`ascertain doctor` to look for a missing index"
        )
    if isinstance(error, errors.LockNotAvailable) or is_passing(error):
        return StoreBusy(f"another writer kept {place} locked ({said}): try again, or raise store.lock_seconds")
    if isinstance(error, errors.InsufficientPrivilege | errors.InvalidAuthorizationSpecification):
        return StoreError(f"{place} does not allow this ({said}): ask its administrator for the right to do it")
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return StoreError(f"{place} is read-only ({said}): write to the primary server")
    if isinstance(error, _FULL):
        return StoreError(f"{place} has no space for this ({said}): add some, then run the same command again")
    if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
        return StoreError(f"{place} is damaged ({said}): run `ascertain doctor --repair` or restore a backup")
    if isinstance(error, errors.UndefinedTable | errors.UndefinedColumn | errors.UndefinedFunction):
        return StoreError(f"{place} lacks something it should have ({said}): run `ascertain doctor`")
    return StoreError(f"{place} refused the operation: {said}")


def _describe_error(error: psycopg.Error) -> str:
    # The primary message has no statement and no parameters in it.
    words = error.diag.message_primary or str(error)
    return " ".join(words.split()) or type(error).__name__
