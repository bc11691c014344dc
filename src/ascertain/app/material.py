"""Answers and search results as text for somebody else's model, which shall read what documents say and never obey it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ascertain.core.answers import Answer, Citation
from ascertain.core.passages import Confidence, Passage
from ascertain.models.untrusted import DATA_RULES, as_data

if TYPE_CHECKING:
    from ascertain.core.results import SearchResult


def search_as_material(found: SearchResult) -> str:
    """The passages, best first, each a numbered block of data; says so when there are none."""
    if not found.passages:
        return _with_caveat("Nothing was found.", found.confidence)
    blocks = [_passage(number, passage) for number, passage in enumerate(found.passages, 1)]
    return _with_caveat("\n\n".join((DATA_RULES, *blocks)), found.confidence)


def answer_as_material(answer: Answer) -> str:
    """The answer with its numbers, then what each of them stands for, as blocks of data."""
    told = as_data(answer.text, "answer", {"type": answer.type.value})
    blocks = [_citation(citation) for citation in answer.citations]
    return _with_caveat("\n\n".join((DATA_RULES, told, *blocks)), answer.confidence)


def lines_as_material(kind: str, lines: Sequence[str]) -> str:
    """Lines that name documents, as a block of data: titles and addresses are words of others too."""
    return f"{DATA_RULES}\n\n{as_data(chr(10).join(lines), kind)}"


def _passage(number: int, passage: Passage) -> str:
    chunk = passage.chunk
    about = _about(chunk.title, chunk.place.label, chunk.published_at, chunk.url or chunk.source)
    return as_data(chunk.text, "passage", {"n": str(number), "document": chunk.document_id, **about})


def _citation(citation: Citation) -> str:
    about = _about(
        citation.title, citation.place.label, citation.published_at, citation.url or citation.source
    )
    return as_data(
        citation.quote, "source", {"n": str(citation.number), "document": citation.document_id, **about}
    )


def _about(title: str, place: str, published: datetime | None, origin: str) -> dict[str, str]:
    known = {
        "title": title,
        "place": place,
        "published": published.date().isoformat() if published else "",
        "origin": origin,
    }
    return {name: value for name, value in known.items() if value}


def _with_caveat(text: str, confidence: Confidence) -> str:
    caveat = f" {confidence.caveat}" if confidence.caveat else ""
    return f"{text}\n\nConfidence: {confidence.level.value} ({confidence.score}/100).{caveat}"
