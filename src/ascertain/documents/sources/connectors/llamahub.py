"""Any reader of LlamaHub (``llama-index-readers-*``): ``llamahub:json.JSONReader``, ``llamahub:notion.NotionPageReader``.

Options go to the reader's constructor as ``init.NAME`` and to its ``load_data`` as ``NAME``; JSON is read as such.
"""

import hashlib
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from ascertain.core.errors import MissingExtra, SourceError
from ascertain.core.system.extras import install_packages_command
from ascertain.documents.formats.drafts.draft import clean_text
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.sources.connectors.ports import SourceGiven, SourceItem

_NAMED = re.compile(r"llamahub:((?:[a-z0-9_]+\.)+)([A-Za-z0-9_]+)")
_RANDOM = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
"""A UUID of version 4 (RFC 9562), which most readers generate again each time."""
_TITLES = ("title", "page_title", "file_name", "filename", "name", "subject")
_ADDRESSES = ("url", "source_url", "webpage_url", "permalink", "link", "source")
_AUTHORS = ("author", "authors", "creator", "user", "from")
_DATES = ("published_at", "date", "created_at", "creation_date", "last_modified_date", "updated_at", "timestamp")


class LlamaHubSource:
    """A ``Source``."""

    is_complete = True
    notes: Sequence[str] = ()

    def __init__(self, given: SourceGiven) -> None:
        match = _NAMED.fullmatch(given.address)
        if match is None:
            raise SourceError(
                f"{given.address}: not of the form llamahub:PACKAGE.CLASS, as llamahub:notion.NotionPageReader"
            )
        options = given.read_values()
        self._arguments = {name: value for name, value in options.items() if not name.startswith("init.")}
        settings = {name.removeprefix("init."): value for name, value in options.items() if name.startswith("init.")}
        self.root = f"{given.address}/{given.name}"
        self._reader = _open_reader(match[1].rstrip("."), match[2], settings)
        self._text = ("", "")

    def list_items(self) -> Iterator[SourceItem]:
        """The reader's documents, one after another where it can load them so."""
        try:
            for document in self._load():
                item, text = _read_document(document)
                self._text = (item.id, text)
                yield item
        except Exception as error:  # a reader may raise anything
            raise SourceError(f"{self.root}: {type(error).__name__}: {error}".split("\n", 1)[0][:300]) from error

    def read(self, item: SourceItem) -> str:
        """The text that was listed."""
        return self._text[1]

    def close(self) -> None:
        """Readers have nothing to close."""

    def _load(self) -> Iterable[Any]:
        try:
            return cast("Iterable[Any]", self._reader.lazy_load_data(**self._arguments))
        except (NotImplementedError, AttributeError):
            return cast("Iterable[Any]", self._reader.load_data(**self._arguments))


def _open_reader(module: str, name: str, settings: Mapping[str, Any]) -> Any:
    package = module.partition(".")[0]
    try:
        reader = getattr(importlib.import_module(f"llama_index.readers.{module}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "") in {"llama_index", "llama_index.core"}:
            raise MissingExtra("a reader of LlamaHub", "llamaindex") from error
        command = install_packages_command(f"llama-index-readers-{package.replace('_', '-')}")
        raise SourceError(f"llamahub:{module}.{name}: not installed; run: {command}") from error
    except AttributeError as error:
        raise SourceError(f"llamahub:{module}.{name}: the package has no {name}; check its documentation") from error
    try:
        return reader(**settings)
    except Exception as error:  # a constructor may raise anything
        raise SourceError(
            f"llamahub:{module}.{name}: {type(error).__name__}: {error}".split("\n", 1)[0][:300]
        ) from error


def _read_document(document: Any) -> tuple[SourceItem, str]:
    text = clean_text(str(document.text))
    metadata = {str(key).lower(): value for key, value in dict(document.metadata or {}).items()}
    version = hashlib.sha256(f"{text}\0{sorted(metadata.items(), key=str)}".encode("utf-8", "replace")).hexdigest()[:32]
    identity = str(document.id_)
    address = _first(metadata, _ADDRESSES)
    return (
        SourceItem(
            version if _RANDOM.fullmatch(identity) else identity,
            version,
            address=address if address and address.startswith(("http://", "https://")) else None,
            title=_first(metadata, _TITLES),
            published_at=_date(_first(metadata, _DATES)),
            author=_first(metadata, _AUTHORS),
            name="text.md",
        ),
        text,
    )


def _first(metadata: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((str(metadata[name])[:500] for name in names if metadata.get(name)), None)


def _date(text: str | None) -> datetime | None:
    return parse_date(text) if text else None
