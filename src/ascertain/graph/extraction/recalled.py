"""Names known again whatever their capitals: those of the profile everywhere, those of the rest of the document in headings and shouting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ascertain.core.settings.profiles import Profile
from ascertain.graph.extraction.found import Found
from ascertain.graph.extraction.words import TOKEN, Run, Sentence, Word
from ascertain.language.tokens import STOP_WORDS, folded

_SHORTEST = 3
"""Characters of a name of one word; shorter ones are met inside anything that is written in capitals."""


class KnownNames:
    """Names by their folded words."""

    def __init__(self, forms: Iterable[Sequence[str]]) -> None:
        by_first: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
        for form in sorted({tuple(form) for form in forms}, key=lambda form: (-len(form), form)):
            first = "".join(form[:1])
            if len(form) > 1 or (len(first) >= _SHORTEST and first not in STOP_WORDS):
                by_first[first].append(form)
        self._by_first = dict(by_first)

    def within(self, sentence: Sentence) -> Iterator[Run]:
        """Where a sentence has the names, the longest first word by word, none inside another."""
        if not self._by_first:
            return
        end = 0
        for place, word in enumerate(sentence.words):
            if place < end:
                continue
            for form in self._by_first.get(_bare(word), ()):
                if tuple(map(_bare, sentence.words[place : place + len(form)])) == form:
                    end = place + len(form)
                    yield place, end
                    break


def names_of_document(names: Iterable[Found]) -> KnownNames:
    """The names that a document writes with capitals."""
    return KnownNames(
        tuple(map(_bare, name.sentence.words[name.first : name.end]))
        for name in names
        if name.origin == "capitals"
    )


def names_of_profile(profile: Profile | None) -> KnownNames:
    """The names that the aliases of a profile stand for: Bitcoin, Kubernetes. Those written small are words and no names."""
    tables = profile.aliases.values() if profile else ()
    named = (
        canonical.partition(" (")[0]
        for table in tables
        for canonical in (*table.strong.values(), *table.ambiguous.values())
    )
    return KnownNames(
        tuple(folded(match[0]) for match in TOKEN.finditer(name)) for name in named if name[:1].isupper()
    )


def _bare(word: Word) -> str:
    small = word.small
    return small.replace("’", "'").removesuffix("'s") if "'" in small or "’" in small else small
