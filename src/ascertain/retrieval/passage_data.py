"""Passages as a chat model is shown them: under keys of ours, with their metadata, as data."""

from __future__ import annotations

from collections.abc import Sequence

from ascertain.core.passages import Passage
from ascertain.language.instructions import without_instructions
from ascertain.models.prompts import as_data


def key_of(index: int) -> str:
    """The key of the passage at ``index`` (from 0) of a list: ``P1``."""
    return f"P{index + 1}"


def index_of(key: str, count: int) -> int | None:
    """The index that ``key`` names among ``count`` passages; None for a key that was never given."""
    digits = key.strip().strip("[]()").upper().removeprefix("P")
    index = int(digits) - 1 if digits.isdecimal() and len(digits) < 6 else -1
    return index if 0 <= index < count else None


def passages_as_data(passages: Sequence[Passage], longest: int, first: int = 0) -> str:
    """Each passage as a block with its title, date and source, cut at ``longest`` characters; keys count from ``first``.

    What reads like instructions to a model is left out of the text.
    """
    return "\n".join(_block(passage, key_of(first + i), longest) for i, passage in enumerate(passages))


def _block(passage: Passage, key: str, longest: int) -> str:
    chunk = passage.chunk
    date = chunk.published_at.date().isoformat() if chunk.published_at else "unknown"
    about = {
        "key": key,
        "title": without_instructions(chunk.title),
        "date": date,
        "source": without_instructions(chunk.source),
    }
    return as_data(without_instructions(chunk.text)[:longest], "passage", about)
