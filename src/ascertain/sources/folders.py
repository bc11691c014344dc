"""Finding the files to read under the paths a user names."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascertain.core.errors import UsageError
from ascertain.sources.formats import known_suffixes


@dataclass(frozen=True, slots=True)
class Discovery:
    """``files`` are absolute, resolved, sorted and distinct; ``skipped`` are (path, reason), sorted."""

    files: tuple[Path, ...]
    skipped: tuple[tuple[Path, str], ...]


def discover(paths: Sequence[Path]) -> Discovery:
    """The readable files under ``paths``.

    Folders are walked with their subfolders; hidden entries in them are passed over in silence, files of unknown
    suffix and what may not be read are listed as skipped. A file named by itself is taken whatever its suffix.
    Symbolic links are followed, each folder and file once. Raises UsageError when a path does not exist.
    """
    search = _Search()
    for path in paths:
        search.visit(path)
    skipped = sorted((found, reason) for found, reason in search.skipped.items())
    return Discovery(tuple(sorted(search.files)), tuple(skipped))


class _Search:
    def __init__(self) -> None:
        self.files: set[Path] = set()
        self.skipped: dict[Path, str] = {}
        self._folders: set[Path] = set()
        self._suffixes = known_suffixes()

    def visit(self, path: Path) -> None:
        try:
            resolved = path.expanduser().resolve(strict=True)
            is_folder = resolved.is_dir()
        except PermissionError:
            self.skipped[path] = "no permission to read it"
            return
        except (OSError, RuntimeError, ValueError) as error:
            # RuntimeError: a link that points at itself; ValueError: a NUL in the name.
            raise UsageError(f"{path}: no such file or folder; check the spelling") from error
        if is_folder:
            self._walk(resolved)
        else:
            self._take(resolved, resolved)

    def _walk(self, top: Path) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            if folder in self._folders:
                continue
            self._folders.add(folder)
            for entry in self._entries(folder):
                try:
                    resolved = entry.resolve(strict=True)
                    if resolved.is_dir():
                        waiting.append(resolved)
                        continue
                except (OSError, RuntimeError):
                    self.skipped[entry] = "a link that leads nowhere"
                    continue
                if entry.suffix.lower() in self._suffixes:
                    self._take(resolved, entry)
                elif resolved not in self.files:
                    self.skipped[entry] = (
                        f"unsupported suffix {entry.suffix!r}" if entry.suffix else "no suffix"
                    )

    def _entries(self, folder: Path) -> Iterator[Path]:
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            self.skipped[folder] = f"folder cannot be read: {error.strerror or error}"
            return
        yield from (entry for entry in entries if not entry.name.startswith("."))

    def _take(self, resolved: Path, entry: Path) -> None:
        if not resolved.is_file():
            self.skipped[entry] = "not a regular file"
        elif not os.access(resolved, os.R_OK):
            self.skipped[entry] = "no permission to read it"
        elif not _is_text(str(resolved)):
            self.skipped[entry] = "its name or folder holds characters that cannot be shown; rename it"
        else:
            self.files.add(resolved)
            self.skipped.pop(resolved, None)


def _is_text(name: str) -> bool:
    """Whether a path can be stored and shown: no controls, no bytes that are not UTF-8."""
    return not any(unicodedata.category(character) in ("Cc", "Cs") for character in name)
