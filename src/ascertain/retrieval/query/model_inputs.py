"""What a chat model may give as the wording of a question: one line of visible words that still asks after the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ascertain.core.passages import Passage
from ascertain.language.folding import is_invisible
from ascertain.language.instructions import without_instructions
from ascertain.language.tokens import WORD, content_terms
from ascertain.models.prompts import as_data

LONGEST = 400
"""Characters; a longer question is a text, and the embedding model would see only its beginning."""

_DIGITS = re.compile(r"\w*\d\w*")
_ENCLOSED = re.compile(r"^[\"'“‘`](.*)[\"'”’`]$")


def one_line(text: str) -> str:
    """``text`` on one line, without invisible characters and without quotation marks around all of it."""
    visible = "".join(c for c in " ".join(text.split()) if not is_invisible(c)).strip()
    enclosed = _ENCLOSED.match(visible)
    return enclosed.group(1).strip() if enclosed and enclosed.group(1).strip() else visible


def is_wording(text: str, longest: int = LONGEST) -> bool:
    """Whether ``text`` can be searched for: it has a word and is not too long."""
    return len(text) <= longest and WORD.search(text) is not None


def shares_words(text: str, question: str) -> bool:
    """Whether ``text`` holds a content word of ``question``; true where the question has none."""
    asked = set(content_terms(question))
    return not asked or bool(asked & set(content_terms(text)))


def same_words(text: str, question: str) -> bool:
    """Whether both hold the same content words, so that a search would find the same."""
    return set(content_terms(text)) == set(content_terms(question)) or text.casefold() == question.casefold()


def fold_wording(text: str) -> str:
    """``text`` in small letters with single spaces: equal for wordings that differ in nothing else."""
    return " ".join(text.casefold().split())


def lost_figures(text: str, question: str) -> tuple[str, ...]:
    """Numbers and codes of ``question`` that ``text`` lacks."""
    held = {figure.casefold() for figure in _DIGITS.findall(text)}
    return tuple(figure for figure in _DIGITS.findall(question) if figure.casefold() not in held)


def new_words(text: str, *known: str) -> tuple[str, ...]:
    """Words of ``text``, as written, that stand in none of the ``known`` texts; none twice."""
    terms = set[str]().union(*(content_terms(other) for other in known))
    words = dict.fromkeys(WORD.findall(text))
    return tuple(word for word in words if (mine := set(content_terms(word))) and not mine <= terms)


def key_of(index: int) -> str:
    """The key of the passage at ``index`` (from 0) of a list: ``P1``."""
    return f"P{index + 1}"


def index_of(key: str, count: int) -> int | None:
    """The index that ``key`` names among ``count`` passages; None for a key that was never given."""
    digits = key.strip().strip("[]()").upper().removeprefix("P")
    index = int(digits) - 1 if digits.isdecimal() and len(digits) < 6 else -1
    return index if 0 <= index < count else None


def passages_as_data(passages: Sequence[Passage], longest: int, first: int = 0) -> str:
    """Each passage as a block with its title, date and source, cut at ``longest`` characters; keys count from
    ``first``.

    What reads like instructions to a model is left out of the text.
    """
    return "\n".join(_passage_block(passage, key_of(first + i), longest) for i, passage in enumerate(passages))


def _passage_block(passage: Passage, key: str, longest: int) -> str:
    chunk = passage.chunk
    date = chunk.published_at.date().isoformat() if chunk.published_at else "unknown"
    about = {
        "key": key,
        "title": without_instructions(chunk.title),
        "date": date,
        "source": without_instructions(chunk.source),
    }
    return as_data(without_instructions(chunk.text)[:longest], "passage", about)
