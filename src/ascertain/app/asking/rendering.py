"""Answers and search results as text for somebody else's model, which is to read what documents say and never obey, and
for programs that render it, which are to load nothing that a document names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ascertain.core.answers import Answer, Citation, Decision
from ascertain.core.documents import Chunk
from ascertain.core.markdown import disarm_markdown
from ascertain.core.passages import Confidence, Passage
from ascertain.models.untrusted import DATA_RULES, as_data, make_inert
from ascertain.wire.documents import ArticlesJson

if TYPE_CHECKING:
    from ascertain.core.requests import SearchResult


def search_as_material(found: SearchResult) -> str:
    """The passages, best first, each a numbered block of data; says so when there are none."""
    if not found.passages:
        return _with_caveat("Nothing was found.", found.confidence)
    blocks = [_wrap_passage(number, passage) for number, passage in enumerate(found.passages, 1)]
    return _with_caveat("\n\n".join((DATA_RULES, *blocks)), found.confidence)


def search_as_articles(found: SearchResult) -> str:
    """The articles that were found, as JSON for a model: nothing in it reads as markup of a prompt."""
    passages = tuple(replace(passage, chunk=_make_chunk_inert(passage.chunk)) for passage in found.passages)
    return json.dumps(ArticlesJson.from_noun(replace(found, passages=passages)).to_json(), ensure_ascii=False)


def _make_chunk_inert(chunk: Chunk) -> Chunk:
    def make_text_inert(text: str) -> str:
        return make_inert(disarm_markdown(text))

    return replace(
        chunk,
        text=make_text_inert(chunk.text),
        title=make_text_inert(chunk.title),
        source=make_text_inert(chunk.source),
        url=make_text_inert(chunk.url) if chunk.url is not None else None,
    )


def disarm_answer(answer: Answer) -> Answer:
    """The answer with nothing live in its text and its sentences; its citations quote as exactly as before."""
    sentences = tuple(replace(sentence, text=disarm_markdown(sentence.text)) for sentence in answer.sentences)
    return replace(answer, text=disarm_markdown(answer.text), sentences=sentences)


def answer_as_material(answer: Answer) -> str:
    """The answer with its numbers, then what each of them stands for, as blocks of data."""
    told = _as_inert_data(answer.text, "answer", {"type": answer.type.value})
    blocks = [_wrap_citation(citation) for citation in answer.citations]
    return _with_caveat("\n\n".join((DATA_RULES, told, *blocks)), answer.confidence)


def lines_as_material(kind: str, lines: Sequence[str]) -> str:
    """Lines that name documents, as a block of data: titles and addresses are words of others too."""
    return f"{DATA_RULES}\n\n{_as_inert_data(chr(10).join(lines), kind)}"


def _as_inert_data(text: str, kind: str, attributes: Mapping[str, str] | None = None) -> str:
    inert = {name: disarm_markdown(value) for name, value in (attributes or {}).items()}
    return as_data(disarm_markdown(text), kind, inert)


def _wrap_passage(number: int, passage: Passage) -> str:
    chunk = passage.chunk
    about = _source_attributes(chunk.title, chunk.place.label, chunk.published_at, chunk.url or chunk.source)
    return _as_inert_data(chunk.text, "passage", {"n": str(number), "document": chunk.document_id, **about})


def _wrap_citation(citation: Citation) -> str:
    about = _source_attributes(
        citation.title, citation.place.label, citation.published_at, citation.url or citation.source
    )
    return _as_inert_data(
        citation.quote, "source", {"n": str(citation.number), "document": citation.document_id, **about}
    )


def _source_attributes(title: str, place: str, published: datetime | None, origin: str) -> dict[str, str]:
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


ARROW = " → "


def readable_path(decisions: Iterable[Decision]) -> str:
    """How an answer came about, in one line for people; what the steps noted themselves is left to the full record.

    ``hybrid search found 5 passages, quality 68 → wrote 2 sentences, 2 of 2 claims supported → answered, confidence 64
    (medium)``
    """
    legs: list[str] = []
    search = ""
    for decision in decisions:
        if decision.node == "retrieve":
            search = decision.reason.partition(",")[0] or "search"
        leg = _format_leg(decision, search)
        if leg is None:
            continue
        if leg.startswith("+") and legs:
            legs[-1] += f", {leg[1:]}"
        else:
            legs.append(leg.removeprefix("+"))
    return ARROW.join(legs)


def _format_leg(decision: Decision, search: str) -> str | None:
    """One leg; with ``+`` in front when it goes on with the one before. None for what a reader need not know."""
    outcome, reason = decision.outcome, decision.reason
    if outcome.startswith("fell back"):
        return f"{decision.node} fell back to rules ({reason})"
    told: Mapping[str, str | None] = {
        "rewrite": None if outcome == "as asked" else f"understood as “{outcome}”",
        "plan": outcome,
        "classify": f"{outcome} question ({reason})",
        "web": f"searched the web, {outcome} ({reason})",
        "overview": f"surveyed the themes: {reason}",
        "digest": f"told the stories of the period: {reason}",
        "gather": f"gathered {outcome} ({reason})",
        "retrieve": f"{search} found {outcome}",
        "judge": f"+{outcome}",
        "switch": f"switched to {outcome} search ({reason})",
        "refine": f"rewrote as “{outcome}”",
        "undate": f"dropped the dates ({reason})",
        "generate": f"wrote {outcome}{f' ({reason})' if reason else ''}",
        "check": f"+{outcome}",
        "evaluate": f"+{outcome}",
        "finish": f"{outcome}, {reason}",
        "greet": outcome,
        "reject": f"{outcome}: {reason}",
    }
    return told.get(decision.node)
