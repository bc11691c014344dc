"""What a chat model may return as the wording of a question: one line of visible words that still asks the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ascertain.core.asking.passages import Passage
from ascertain.core.documents.documents import Chunk
from ascertain.language.folding import is_invisible
from ascertain.language.instructions import without_instructions
from ascertain.language.sentences import cut_at_sentence
from ascertain.language.tokens import WORD, content_terms
from ascertain.models.prompts import as_data

PHRASE = re.compile(r"[\"“”]([^\"“”]{2,200})[\"“”]")
"""Words in quotation marks, which belong together."""

LONGEST = 400
"""Characters; a longer question is a text, and the embedding model would see only its beginning."""

_DIGITS = re.compile(r"(?<!\w)\w*\d\w*")
_ENCLOSED = re.compile(r"^[\"'“‘`](.*)[\"'”’`]$")


def one_line(text: str) -> str:
    """``text`` on one line, without invisible characters and without quotation marks around all of it."""
    visible = "".join(c for c in " ".join(text.split()) if not is_invisible(c)).strip()
    match = _ENCLOSED.match(visible)
    return match.group(1).strip() if match and match.group(1).strip() else visible


def is_wording(text: str, longest: int = LONGEST) -> bool:
    """Whether ``text`` can be searched for: it has a word and is not too long."""
    return len(text) <= longest and WORD.search(text) is not None


def shares_words(text: str, question: str, language: str) -> bool:
    """Whether ``text`` holds a content word of ``question``; true where the question has none."""
    asked = set(content_terms(question, language))
    return not asked or bool(asked & set(content_terms(text, language)))


def same_words(text: str, question: str, language: str) -> bool:
    """Whether both hold the same content words, so that a search would find the same."""
    return (
        set(content_terms(text, language)) == set(content_terms(question, language))
        or text.casefold() == question.casefold()
    )


def fold_wording(text: str) -> str:
    """``text`` in small letters with single spaces: equal for wordings that differ in nothing else."""
    return " ".join(text.casefold().split())


def lost_figures(text: str, question: str) -> tuple[str, ...]:
    """Numbers and codes of ``question`` that ``text`` lacks."""
    held = {figure.casefold() for figure in _DIGITS.findall(text)}
    return tuple(figure for figure in _DIGITS.findall(question) if figure.casefold() not in held)


def lost_quotations(text: str, question: str) -> tuple[str, ...]:
    """What ``question`` has in quotation marks and ``text`` lacks."""
    held = text.casefold()
    return tuple(f"“{quoted}”" for quoted in PHRASE.findall(question) if quoted.strip().casefold() not in held)


def new_words(text: str, language: str, *known: str) -> tuple[str, ...]:
    """Words of ``text``, as written, that stand in none of the ``known`` texts; none twice."""
    terms = set[str]().union(*(content_terms(other, language) for other in known))
    words = dict.fromkeys(WORD.findall(text))
    return tuple(word for word in words if (mine := set(content_terms(word, language))) and not mine <= terms)


def key_of(index: int) -> str:
    """The key of the passage at ``index`` (from 0) of a list: ``P1``."""
    return f"P{index + 1}"


def index_of(key: str, count: int) -> int | None:
    """The index that ``key`` names among ``count`` passages; None for a key that was never given."""
    digits = key.strip().strip("[]()").upper().removeprefix("P")
    index = int(digits) - 1 if digits.isdecimal() and len(digits) < 6 else -1
    return index if 0 <= index < count else None


def passages_as_data(passages: Sequence[Passage], most: int, first: int = 0) -> str:
    """Each passage as a block with its title, headings, date and source, under keys from ``P1``; the first is number ``first`` of all, from 0.

    They share ``most`` characters: short ones are given whole, and the others are cut at the end of a sentence, which is said.
    What reads like instructions to a model is left out of the text, and of a source only the name of its file or its address.
    """
    texts = [without_instructions(passage.chunk.text) for passage in passages]
    longest = share_out([len(text) for text in texts], most)
    return "\n".join(
        _passage_block(passage, key_of(i), text, longest)
        for i, (passage, text) in enumerate(zip(passages, texts, strict=True), first)
    )


def share_out(lengths: Sequence[int], most: int) -> int:
    """The length of the longest so that all together have ``most``: what short ones leave goes to the long ones."""
    left, longest = most, max(lengths, default=0)
    for done, length in enumerate(sorted(lengths)):
        share = left // (len(lengths) - done)
        if length > share:
            return share
        left -= length
    return longest


def _passage_block(passage: Passage, key: str, text: str, longest: int) -> str:
    chunk = passage.chunk
    shown = cut_at_sentence(text, longest)
    about = {"key": key, "title": without_instructions(chunk.title)}
    section = chunk.heading.partition("\n")[0].removeprefix(chunk.title).strip(" ›")
    if section:
        about["section"] = without_instructions(section)
    if chunk.place.label:
        about["place"] = without_instructions(chunk.place.label)
    about["date"] = chunk.published_at.date().isoformat() if chunk.published_at else "unknown"
    about["source"] = without_instructions(name_source(chunk))
    if shown != text:
        about["shown"] = f"the first {len(shown)} of {len(text)} characters"
    return as_data(shown, "passage", about)


def name_source(chunk: Chunk) -> str:
    """The address of a page, or the name of a file without its folders, which say nothing to a model and something of the user."""
    return chunk.url or re.split(r"[/\\]", chunk.source.rstrip("/\\"))[-1]
