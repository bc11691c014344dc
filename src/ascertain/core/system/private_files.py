"""Files and folders of a knowledge base are private to their owner, whatever the umask of the process allows."""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
_others = 0o077
_lock = threading.Lock()
_inside = 0
_before = 0


@contextmanager
def private_files() -> Generator[None]:
    """Files created in the context are private to their owner, in every thread: native code follows the umask."""
    global _inside, _before  # noqa: PLW0603  the umask is the process's, too
    with _lock:
        if not _inside:
            _before = os.umask(_others)
            os.umask(_before | _others)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                os.umask(_before)


def make_private_folder(path: Path) -> None:
    """Create a folder if it is missing; those above it with the usual rights."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(PRIVATE_FOLDER, exist_ok=True)
