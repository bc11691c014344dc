"""The port of a source, its results, and how one is found by its kind."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, cast

from ascertain.core.documents.documents import Document
from ascertain.core.errors import SourceError
from ascertain.core.settings import WebSettings
from ascertain.core.system.plugins import SOURCES, require_plugin
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.connectors.secrets import is_secret
from ascertain.documents.sources.web.fetching import Fetcher


class ItemGone(SourceError):
    """An item was listed and no longer exists: it counts as deleted, not as a failure."""


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One thing that can be read."""

    id: str
    """Stable and unique; a path inside the source where there is one."""
    version: str = ""
    """Changes with the content; empty if only reading shows it."""
    address: str | None = None
    """A URL that people can open."""
    title: str | None = None
    published_at: datetime | None = None
    """Time-zone aware."""
    author: str | None = None
    tags: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    """The only ones who may see it, by names of the source; empty means everyone."""
    name: str = ""
    """A file name whose suffix tells the format; empty where the end of ``id`` is one."""

    @property
    def file_name(self) -> str:
        """``name``, or what ``id`` ends with."""
        return self.name or self.id.rstrip("/").rpartition("/")[2]


Content = bytes | str | Path | Sequence[Document]
"""Of an item: a file's bytes, text (plain or Markdown), a file that is here, or finished documents."""


class Source(Protocol):
    """Somewhere that documents come from. Used by one thread at a time; errors are SourceErrors of one line, without secrets.

    Whatever else an adapter raises ends the reading of an item, or of the list, with its text as the reason.
    """

    @property
    def root(self) -> str:
        """The prefix of the sources of its documents: ``root/id``."""
        ...

    @property
    def is_complete(self) -> bool:
        """Whether the list just read is complete, so that missing items are deleted."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Lines for people about that list."""
        ...

    def list_items(self) -> Iterator[SourceItem]:
        """Every item. Raises SourceError if there may be more: then nothing is deleted."""
        ...

    def read(self, item: SourceItem) -> Content:
        """The whole content; requested, if at all, before the next item. Never a part: raises SourceError."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...


@dataclass(frozen=True, slots=True)
class SourceGiven:
    """The arguments for opening a source. ``options`` has secrets in the clear; ``fetcher`` keeps to what may be fetched."""

    name: str
    address: str
    options: Mapping[str, str]
    web: WebSettings
    reading: ReadOptions
    fetcher: Fetcher

    def check_options(self, *known: str) -> None:
        """Raise SourceError for an option not in ``known``."""
        unknown = sorted(set(self.options) - set(known))
        if unknown:
            choice = f"known are {', '.join(known)}" if known else "there are none"
            raise SourceError(f"{self.name}: there is no option {unknown[0]}; {choice}")

    def read_number(self, option: str, default: float) -> float:
        """An option that is a number, not negative."""
        text = self.options.get(option, "")
        try:
            number = float(text or default)
        except ValueError:
            number = -1.0
        if not 0 <= number < 1e9:
            raise SourceError(f"{self.name}: the option {option} is {text!r}, not a number of at least 0")
        return number

    def read_values(self) -> dict[str, Any]:
        """The options, those that are JSON as what they stand for; secrets are text."""
        return {name: value if is_secret(name) else _read_value(value) for name, value in self.options.items()}


def _read_value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


OpenSource = Callable[[SourceGiven], Source]


def join_source(root: str, item_id: str) -> str:
    """The source of an item's document."""
    return f"{root.rstrip('/')}/{item_id.lstrip('/')}" if item_id else root


def open_source(kind: str, given: SourceGiven) -> Source:
    """The source of an entry point of ``ascertain.sources``; ConfigurationError for an unknown kind."""
    plugin = require_plugin(SOURCES, kind, "kind")
    opener = cast(OpenSource, plugin.load("kind"))
    with plugin.blame_package("kind"):
        return opener(given)


_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)(?:://|::)", re.IGNORECASE)
_FEED = re.compile(r"(?:[/.](?:rss|atom|feed))(?:\.xml)?/?$", re.IGNORECASE)


def guess_kind(address: str) -> str:
    """The kind that an address is most likely of."""
    for prefix, kind in (("arxiv:", "arxiv"), ("llamahub:", "llamahub"), ("imap://", "imap"), ("imaps://", "imap")):
        if address.lower().startswith(prefix):
            return kind
    scheme = _SCHEME.match(address)
    if address.rstrip("/").endswith(".git") or (scheme and scheme[1].lower() in {"ssh", "git", "git+ssh"}):
        return "git"
    if scheme is None:
        return "folder"
    if scheme[1].lower() in {"http", "https"}:
        return "feed" if _FEED.search(address.partition("?")[0]) else "site"
    return "files"
