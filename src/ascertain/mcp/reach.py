"""What an agent may add: folders that the user allowed, and addresses where the user did not forbid them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ascertain.app.results import address_of
from ascertain.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Reach:
    """``folders`` are resolved paths. An address is fetched by the guarded client, which reaches no private network."""

    folders: tuple[Path, ...] = ()
    with_addresses: bool = True

    @classmethod
    def of(cls, folders: Sequence[Path], with_addresses: bool = True) -> Reach:
        """The folders as they are on disk now; raises UsageError for one that is not there."""
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(
                    f"{folder}: no such folder; --allow-folder names one that agents may add from"
                )
        return cls(tuple(folder.resolve() for folder in folders), with_addresses)

    def checked(self, what: str) -> Path | str:
        """What ``Ascertain.add`` is to be given for ``what``; raises UsageError for what is out of reach.

        Links are followed first, so that one inside a folder leads nowhere else; neither does one further down.
        """
        if address_of(what) is not None:
            if not self.with_addresses:
                raise UsageError("addresses cannot be added here: the server runs with --no-addresses")
            return what
        if not self.folders:
            raise UsageError(
                "files cannot be added here: the server runs without --allow-folder"
                + ("; give an address" if self.with_addresses else "")
            )
        path = Path(what).expanduser()
        for folder in self.folders:
            found = (path if path.is_absolute() else folder / path).resolve()
            if found.is_relative_to(folder) and found.exists():
                self._check_links(found)
                return found
        allowed = ", ".join(map(str, self.folders))
        raise UsageError(f"{what}: there is no such file or folder in the allowed ones ({allowed})")

    def _check_links(self, top: Path) -> None:
        for parent, folders, files in os.walk(top):
            for name in (*folders, *files):
                entry = Path(parent, name)
                if entry.is_symlink() and not any(map(entry.resolve().is_relative_to, self.folders)):
                    raise UsageError(f"{entry} is a link out of the allowed folders; nothing was added")
