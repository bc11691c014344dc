"""At most one request in so many seconds, from all threads and processes of one user on one machine.

A lock file in the temporary folder is held while waiting and while asking, as arXiv asks for (one connection at a time, one request every three
seconds: https://info.arxiv.org/help/api/tou.html).
"""

from __future__ import annotations

import getpass
import os
import stat
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from ascertain.core.errors import SourceError


def shared_folder() -> Path:
    """A folder in the temporary one that only this user can write to; another where somebody else has taken its name."""
    user = str(os.getuid()) if hasattr(os, "getuid") else getpass.getuser()
    folder = Path(tempfile.gettempdir()) / f"ascertain-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    is_own = stat.S_ISDIR(status.st_mode) and (not hasattr(os, "getuid") or status.st_uid == os.getuid())
    return folder if is_own else Path(tempfile.mkdtemp(prefix="ascertain-"))


@dataclass(frozen=True, slots=True)
class Spacing:
    """Turns at one service, ``seconds`` apart. ``clock`` is the time of day, which processes share; ``sleep`` waits."""

    name: str
    seconds: float
    folder: Path = field(default_factory=shared_folder)
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep

    @contextmanager
    def turn(self, longest_wait: float) -> Generator[None]:
        """Wait for a turn and hold it. Raises SourceError when it does not come within ``longest_wait`` seconds."""
        lock = FileLock(self.folder / f"{self.name}.lock", timeout=longest_wait)
        try:
            lock.acquire()
        except (Timeout, OSError) as error:
            raise SourceError(
                f"{self.name}: no turn within {longest_wait:g} s, others of this machine are asking; try again"
            ) from error
        last = self.folder / f"{self.name}.last"
        try:
            # A clock that was set back must not make the wait longer than it ever is.
            self.sleep(max(0.0, min(self.seconds, _moment(last) + self.seconds - self.clock())))
            try:
                yield
            finally:
                last.write_text(repr(self.clock()), encoding="ascii")
        finally:
            lock.release()


def _moment(path: Path) -> float:
    """When the last turn ended, in seconds since 1970; 0 when there was none."""
    try:
        return float(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0.0
