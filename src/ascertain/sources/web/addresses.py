"""Which arguments of ``add`` are addresses, and of what."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ascertain.core.errors import SourceError, UsageError
from ascertain.sources.cleaning import clean_line
from ascertain.sources.web.canonical_urls import canonical_url
from ascertain.sources.web.request_urls import shown

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_ARXIV_ID = re.compile(
    # https://info.arxiv.org/help/arxiv_identifier.html: since April 2007, and before.
    r"(?P<id>\d{4}\.\d{4,5}|[a-z][a-z-]*(?:\.[A-Z]{2})?/\d{7})(?:v(?P<version>[1-9]\d{0,2}))?"
)
_ARXIV_URL = re.compile(
    r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/(?P<rest>[^?#]+?)(?:\.pdf)?/?(?:[?#].*)?",
    re.IGNORECASE,
)
_HOW = "give it as arxiv:1706.03762, arxiv:1706.03762v5 or arxiv:hep-th/9901001"


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A page, a file or a feed; ``url`` is canonical."""

    url: str

    @property
    def shown(self) -> str:
        """For messages and logs, without what may be secret."""
        return shown(self.url)


@dataclass(frozen=True, slots=True)
class ArxivAddress:
    """A paper of arXiv: its latest version, or the one named."""

    id: str
    version: int | None = None

    @property
    def name(self) -> str:
        """The identifier with the version that was asked for."""
        return self.id if self.version is None else f"{self.id}v{self.version}"

    @property
    def url(self) -> str:
        """The page of the paper, which is the source of its document."""
        return f"https://arxiv.org/abs/{self.name}"

    @property
    def shown(self) -> str:
        """For messages and logs."""
        return f"arxiv:{self.name}"


Address = WebAddress | ArxivAddress


def address_of(text: str) -> Address | None:
    """The address that ``text`` is, None when it is a path.

    Raises UsageError for an address of a kind that is not read, or one that is not well formed.
    """
    text = text.strip()
    if text.lower().startswith("arxiv:"):
        return _paper(text[len("arxiv:") :].strip(), text)
    scheme = _SCHEME.match(text)
    if scheme is None:
        return None
    if scheme[1].lower() not in {"http", "https"}:
        raise UsageError(
            f"{shown(text)}: {scheme[1]} addresses are not read; give http, https or arxiv: ones, or a path"
        )
    paper = _ARXIV_URL.fullmatch(text)
    if paper is not None:
        return _paper(paper["rest"], text)
    try:
        return WebAddress(canonical_url(text))
    except SourceError as error:
        raise UsageError(str(error)) from error


def _paper(name: str, text: str) -> ArxivAddress:
    match = _ARXIV_ID.fullmatch(name)
    if match is None:
        named = shown(text) if "://" in text else clean_line(text)[:80]
        raise UsageError(f"{named}: not an identifier of arXiv; {_HOW}")
    return ArxivAddress(match["id"], int(match["version"]) if match["version"] else None)
