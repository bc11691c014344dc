"""Mending words and web addresses that a line end cut in two.

A hyphen at a line end may belong to the word ("open-source") or be there only for the line ("exam-ple"). The rest
of the document tells: what is spelled there with the hyphen keeps it; so do two halves that are words there when the
joined form is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ascertain.sources.pdf.words import SOFT_HYPHEN

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011][^\W\d_]+)*")
_LAST = re.compile(r"([^\W_]+(?:[-\u2010\u2011][^\W_]+)*)$")
_FIRST = re.compile(r"^([^\W_]+)")
_HYPHENS = (SOFT_HYPHEN, "-", "\u2010")
_ADDRESS = re.compile(r"(?:https?:|www\.|doi\.org/)\S*$")
_NEW_ADDRESS = re.compile(r"\W?\d*\W?(?:https?:|www\.)")
_SENTENCE = re.compile(r"[A-Z]?[a-z]*(?:\s|$)")
_MIN_HALF = 3
_JOINING_WORDS = frozenset(("and", "or", "to", "und", "oder", "et", "ou", "y"))


class Hyphens:
    """Joins lines by what words the document spells in full."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: set[str] = set()
        for line in lines:
            words = _WORD.findall(line.lower())
            # The last word of a line with a hyphen, and the first of the next, may be halves.
            self._words.update(words[:-1] if line.endswith(_HYPHENS) else words)

    def join(self, before: str, after: str) -> tuple[str, str]:
        """``before`` as it should end, and what stands between it and ``after``: a space or nothing."""
        if not before.endswith(_HYPHENS):
            return before, "" if _is_cut_address(before, after) else " "
        stem = before[:-1]
        last, first = _LAST.search(stem), _FIRST.match(after)
        if not last or not first:
            return f"{stem}-", "" if last else " "
        if first[1].lower() in _JOINING_WORDS:
            # "pre- and post-"
            return f"{stem}-", " "
        return (f"{stem}-" if self._keeps(last[1], first[1]) else stem), ""

    def _keeps(self, last: str, first: str) -> bool:
        if not first[0].islower() or last[-1].isdigit() or "-" in last:
            return True
        left, right = last.lower(), first.lower()
        if f"{left}-{right}" in self._words:
            return True
        if f"{left}{right}" in self._words:
            return False
        halves = (left, right)
        return all(len(half) >= _MIN_HALF and half in self._words for half in halves)


def _is_cut_address(before: str, after: str) -> bool:
    """Whether a web address at the end of a line goes on in the next, as "https://doi.org/" and "10.1000/1" do."""
    address = _ADDRESS.search(before)
    if not address or not after or _NEW_ADDRESS.match(after):
        return False
    if address[0].endswith(("/", ":", "_", "=", "?", "&", "%")):
        return True
    # After a point only what is no word of a sentence: digits, "org/dandiset".
    return address[0].endswith(".") and not _SENTENCE.match(after) and after[0] not in "(["
