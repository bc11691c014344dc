"""Names known again where capitals say nothing, in headings and in shouting, because the rest of the document has them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ascertain.core.stop_words import STOP_WORDS
from ascertain.graph.extraction.found import Found
from ascertain.graph.extraction.words import Run, Sentence

_SHORTEST = 3
"""Characters of a name of one word; shorter ones are met inside anything that is written in capitals."""


class KnownNames:
    """The names that a document writes with capitals, by their folded words."""

    def __init__(self, names: Iterable[Found]) -> None:
        forms = {
            tuple(
                word.small.replace("’", "'").removesuffix("'s")
                for word in name.sentence.words[name.first : name.end]
            )
            for name in names
            if name.origin == "capitals"
        }
        by_first: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
        for form in sorted(map(list, forms), key=lambda form: (-len(form), form)):
            first = form[0] if form else ""
            if len(form) > 1 or (len(first) >= _SHORTEST and first not in STOP_WORDS):
                by_first[first].append(form)
        self._by_first = dict(by_first)

    def within(self, sentence: Sentence) -> Iterator[Run]:
        """Where a sentence has the names, the longest first word by word, none inside another."""
        words = [word.small.replace("’", "'").removesuffix("'s") for word in sentence.words]
        place = 0
        while place < len(words):
            length = next(
                (
                    len(form)
                    for form in self._by_first.get(words[place], ())
                    if words[place : place + len(form)] == form
                ),
                0,
            )
            if length:
                yield place, place + length
            place += length or 1
