"""Saying that no answer was found: what was searched, what came nearest, and what would help."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.answering.candidates import collapsed
from ascertain.answering.mentions import unmentioned
from ascertain.answering.question import Question
from ascertain.core.passages import Passage
from ascertain.language.tokens import STOP_WORDS, WORD, content_terms, folded

_TITLES = 3
_LONGEST_TITLE = 80


def rejection_text(question: Question, passages: Sequence[Passage], searched: str = "") -> str:
    """A few sentences for people; never an answer. ``searched`` describes the collection and its filter, if known."""
    where = f" in {collapsed(searched)}" if searched.strip() else ""
    if not passages:
        return (
            f"I could not find anything about this{where or ' in the knowledge base'}. It would help to use other words, to "
            "widen the dates or other filters, or to add documents about it."
        )
    titles = list(dict.fromkeys(_title(p) for p in passages if _title(p)))[:_TITLES]
    documents = len({p.chunk.document_id for p in passages})
    parts = [
        f"I could not find an answer to this{where}.",
        f"I looked at the {_count(len(passages), 'nearest passage')} from {_count(documents, 'document')}"
        + (f", nearest {_listed(titles)}." if titles else "."),
    ]
    missing = _unmentioned(question, passages)
    if missing:
        parts.append(f"None of them mentions {_listed(missing, 'or')}.")
    parts.append(
        "It would help to ask in other words, to widen the dates or filters, or to add documents about it."
    )
    return " ".join(parts)


def _title(passage: Passage) -> str:
    title = "".join(c for c in collapsed(passage.chunk.title) if c.isprintable())
    return (
        f"“{title[: _LONGEST_TITLE - 1]}…”" if len(title) > _LONGEST_TITLE else f"“{title}”" if title else ""
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _listed(items: Sequence[str], last: str = "and") -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


def _unmentioned(question: Question, passages: Sequence[Passage]) -> list[str]:
    """Codes of the question that no passage holds, or else its words, as written; the three that tell most."""
    read = set[str]().union(*(content_terms(p.chunk.indexed_text) for p in passages))
    absent = unmentioned(question.codes, passages)
    if absent:
        return [f"“{code}”" for code in absent]
    words: dict[str, str] = {}
    for word in WORD.findall(question.text):
        if folded(word) not in STOP_WORDS:
            for term in content_terms(word):
                if term not in read:
                    words.setdefault(term, f"“{word}”")
    rarest = sorted(words, key=lambda term: -question.weights.get(term, 0.0))[:_TITLES]
    return [shown for term, shown in words.items() if term in rarest]
