"""What SQLite, Tantivy, FAISS and the file system raise, turned into errors with a remedy."""

import errno
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ascertain.core.errors import AscertainError, StoreDamaged, StoreError
from ascertain.stores.records.rows import DAMAGE_REMEDY, SEE_DOCTOR

# Tantivy and FAISS report a full disk in words only; "File too large" is what a file size limit gives.
_FULL_WORDS = (
    "database or disk is full",
    "no space left",
    "storagefull",
    "file too large",
    "filetoolarge",
    "quota exceeded",
    "write error",
    "error in write",
)
_NO_TEXT = "Could not decode to UTF-8"
"""What Python's sqlite3 says, without a code, of a text whose bytes are none."""
_FULL_NUMBERS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def is_disk_full(error: BaseException) -> bool:
    """Whether ``error``, or one it came from, says that nothing more can be written."""
    if isinstance(error, OSError) and error.errno in _FULL_NUMBERS:
        return True
    # Python's own complaint of a text that is no UTF-8 has no code.
    if isinstance(error, sqlite3.OperationalError) and getattr(error, "sqlite_errorcode", 0) in {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_IOERR_TRUNCATE,
        sqlite3.SQLITE_IOERR_SHMSIZE,
    }:
        return True
    return any(words in str(error).lower() for words in _FULL_WORDS)


def is_panic(error: BaseException) -> bool:
    """Whether Rust code panicked; PyO3 raises that as a BaseException it does not export."""
    return type(error).__name__ == "PanicException"


def disk_full(folder: Path) -> StoreError:
    """The error for a full disk."""
    return StoreError(
        f"no space left to write to {folder}: free some space and run the same command again; "
        "everything acknowledged so far is stored"
    )


@contextmanager
def translate_errors(home: Path) -> Generator[None]:
    """Raise errors inside as StoreError; errors made on purpose pass."""
    try:
        yield
    except AscertainError:
        raise
    except sqlite3.Error as error:
        raise _describe_sqlite_error(error, home) from error
    except UnicodeDecodeError as error:
        # Of SQLite's own message, which repeats damaged bytes of the schema.
        raise _record_damaged(home, "its schema cannot be read") from error
    except OSError as error:
        if is_disk_full(error):
            raise disk_full(home) from error
        raise StoreError(f"cannot use {home}: {error.strerror or error}") from error
    except RuntimeError as error:
        # FAISS knows no other kind.
        if is_disk_full(error):
            raise disk_full(home) from error
        raise


def _describe_sqlite_error(error: sqlite3.Error, home: Path) -> StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if is_disk_full(error):
        return disk_full(home)
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB} or str(error).startswith(_NO_TEXT):
        return _record_damaged(home, str(error).split(" with text ")[0])  # what follows are the damaged bytes
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}:
        return StoreError(f"{home} cannot be opened for this ({error}): check its permissions")
    if code == sqlite3.SQLITE_BUSY:
        return StoreError(f"{home} stayed locked by another process ({error}): try again when it has ended")
    return StoreError(f"the record in {home} refused the operation: {error}")


def _record_damaged(home: Path, reason: str) -> StoreDamaged:
    # SQLite quotes what it could not read
    shown = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in reason)
    return StoreDamaged(f"{home / 'record.sqlite3'} is damaged ({shown}): {DAMAGE_REMEDY}{SEE_DOCTOR}")
