"""A cited document as the page shows it: what ``assets/source.js`` draws, from a window of its text."""

from __future__ import annotations

from urllib.parse import urlsplit

from ascertain.ui.answer_view import place_words, turn_words
from ascertain.ui.wording import day
from ascertain.wire.answers import CitationJson
from ascertain.wire.documents import TextWindowJson

UPLOADED = "upload:"
"""How the sources of uploaded files begin."""


def source_data(citation: CitationJson, window: TextWindowJson | None) -> dict[str, object]:
    """The quote in its context, or alone where the document is gone (``window`` is None)."""
    speaker, time = turn_words(citation)
    facts = [day(citation.published_at), "" if speaker else place_words(citation), _origin(citation)]
    return {
        "title": citation.title,
        "facts": [fact for fact in facts if fact],
        "speaker": speaker,
        "time": time,
        "warning": citation.warning,
        "link": safe_link(citation.url),
        **(_in_context(window) if window else _alone(citation.quote)),
    }


def safe_link(address: str | None) -> str | None:
    """``address`` when it is a web address: a document may name anything, a script too."""
    try:
        parts = urlsplit(address or "")
    except ValueError:
        return None
    return address if parts.scheme in {"http", "https"} and parts.netloc else None


def _in_context(window: TextWindowJson) -> dict[str, object]:
    # positions are code points of the whole text, as Python counts them; a browser counts UTF-16 units
    start, end = window.quote_start - window.start, window.quote_end - window.start
    text = window.text
    return {
        "before": text[:start],
        "quote": text[start:end],
        "after": text[end:],
        "starts_inside": window.start > 0,
        "ends_inside": window.end < window.characters,
    }


def _alone(quote: str) -> dict[str, object]:
    return {"before": "", "quote": quote, "after": "", "starts_inside": True, "ends_inside": True}


def _origin(citation: CitationJson) -> str:
    if citation.url:
        try:
            return urlsplit(citation.url).hostname or ""
        except ValueError:
            return ""
    return citation.source.removeprefix(UPLOADED).replace("\\", "/").rpartition("/")[2]
