"""Linking: from the words of a question to the entities of the graph.

Exactly by a name's key, by another name of the same thing, by part of a name where only one thing has it, by near
spelling, by a short form that no text explains ("k8s", "SEC"), and last, where an embedder is given, by the meaning of
what is close at hand. A name that the documents themselves misspell once leads to the thing that they name otherwise.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from itertools import islice, takewhile
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ascertain.graph.extraction.kinds import PERSON, PLACE
from ascertain.graph.keys import find_initials, is_slip_of, is_typed_for, key_of, shortens_by_count
from ascertain.graph.snapshot import Entity, Snapshot
from ascertain.language.names import names_in
from ascertain.language.tokens import STOP_WORDS, fold_words, stem_word, word_informativeness

LONGEST = 8
"""Words of a name looked up in a question."""
NEAR = 0.85
"""Share of letters in common (difflib's ratio) from which a spelling is near: "Spielberg" with one letter wrong."""
SAME_END = 3
"""Letters at the front or the back of a name that a near spelling keeps."""
MOST_COMPARED = 2000
"""Names compared by spelling for one name of a question."""
ONCE, OFTENER = 1, 5
"""Chunks that name a misspelling at most, and how many times as many name the thing (by judgement: a transcript spells
its guest wrongly once in a hundred times; two people with nearly one name are seldom so unequal)."""
MOST_MISTYPED = 3
"""Words of a name that is looked for by spelling where no capital marks it."""
SHORTEST_MISTYPED = 6
"""Letters of one of a single word; more words are near shorter ones by chance."""
SHORTEST_INITIALS = 3
"""Letters; those of two are short for too much."""
MEANS = 0.75
"""Cosine from which names mean the same, for all-MiniLM-L6-v2: different things of one kind reach 0.6."""
MOST_EMBEDDED = 64
"""Names at hand whose vectors are computed for one question."""

_NOT_BY_INITIALS = frozenset({PERSON, PLACE})

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
_WORD = re.compile(r"[^\W_]+(?:[-.'’][^\W_]+)*(?:[+#]+(?!\w))?")


class How(StrEnum):
    """How a name was found, surest first."""

    EXACT = "exact"
    ALIAS = "alias"
    PREFIX = "prefix"
    FUZZY = "fuzzy"
    EMBEDDING = "embedding"


_SURE = {How.EXACT: 1.0, How.ALIAS: 0.95, How.PREFIX: 0.8}


@dataclass(frozen=True, slots=True)
class Match:
    """An entity by number, the words it was found by, and how far to trust that, 0..1."""

    entity: int
    text: str
    how: How
    score: float


class Linker:
    """Finds the things of one snapshot; safe to share between threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._guard = Lock()

    def link(
        self, question: str, language: str, at_hand: Sequence[int] = (), embed: Embed | None = None
    ) -> list[Match]:
        """The things that ``question`` names, in order of appearance, each once.

        Longer names win over names within them. ``at_hand`` are entities that the first passages name: with ``embed``,
        what none of the other ways finds is compared with these by meaning.
        """
        if not self.snapshot.names:
            return []
        found: dict[int, Match] = {}
        covered: list[tuple[int, int, Match]] = []
        words = list(_WORD.finditer(question))
        for start, end in _iterate_spans(len(words)):
            first, last = words[start].start(), words[end - 1].end()
            if any(first < other_end and other_start < last for other_start, other_end, _ in covered):
                continue
            match = self._match_exactly(question[first:last])
            if match is not None:
                covered.append((first, last, match))
        for name in names_in(question).values():
            first = question.find(name)
            if first < 0 or any(first < end and start < first + len(name) for start, end, _ in covered):
                continue
            match = self._match_part(name) or self._match_near(name) or self._match_meaning(name, at_hand, embed)
            if match is not None:
                covered.append((first, first + len(name), match))
        for start, end in _iterate_spans(len(words), MOST_MISTYPED):
            first, last = words[start].start(), words[end - 1].end()
            if any(first < other_end and other_start < last for other_start, other_end, _ in covered):
                continue
            match = self._match_mistyped(question[first:last], language)
            if match is not None:
                covered.append((first, last, match))
        for _, _, match in sorted(covered, key=lambda place: place[:2]):
            found.setdefault(match.entity, match)
        return list(found.values())

    def find(self, text: str, limit: int = 10) -> list[tuple[Entity, Match]]:
        """Things whose name is, begins with, ends with or is spelt like ``text``, the surest first."""
        key = key_of(text)
        if not key:
            return []
        best: dict[int, Match] = {}
        exact = self._match_exactly(text) or self._match_counted(text) or self._match_capitals(text)
        candidates = [] if exact is None else [exact]
        candidates += [self._build_match(name, How.PREFIX, _SURE[How.PREFIX]) for name in self._find_containing(key)]
        if len(candidates) < limit:
            near = (self._sorted_names[place] for place in self._find_sharing(key[:SAME_END], key[-SAME_END:]))
            rated = ((name, _similarity_ratio(key, name)) for name in near)
            candidates += [
                self._build_match(name, How.FUZZY, _SURE[How.PREFIX] * ratio) for name, ratio in rated if ratio >= NEAR
            ]
        candidates = [match for match in candidates if self._is_visible(match.entity)]
        for match in candidates:
            if match.entity not in best or match.score > best[match.entity].score:
                best[match.entity] = match
        counts = self.snapshot.chunk_counts
        order = sorted(best.values(), key=lambda match: (-match.score, -int(counts[match.entity]), match.entity))
        return [(self.snapshot.at(match.entity), match) for match in order[:limit]]

    def is_misspelt(self, text: str) -> bool:
        """Whether documents call something so, but only where they misspell what they name otherwise."""
        match = self._match_exactly(text)
        return match is not None and match.how is How.FUZZY

    @cached_property
    def _sorted_names(self) -> list[str]:
        return sorted(self.snapshot.names)

    @cached_property
    def _by_ending(self) -> NDArray[np.int32]:
        """Places in ``_sorted_names`` in order of the names read backwards."""
        names = self._sorted_names
        return np.array(sorted(range(len(names)), key=lambda place: names[place][::-1]), dtype=np.int32)

    def _build_match(self, name: str, how: How, score: float) -> Match:
        return Match(self.snapshot.names[name], name, how, score)

    def _find_containing(self, key: str) -> list[str]:
        """Names with a word that begins so; a pass over all of them, which for a million takes a tenth of a second."""
        inside = f" {key}"
        found = (name for name in self._sorted_names if name.startswith(key) or inside in name)
        return list(islice(found, MOST_COMPARED))

    def _is_visible(self, entity: int) -> bool:
        return bool(self.snapshot.chunk_counts[entity])

    def _match_exactly(self, written: str) -> Match | None:
        word = fold_words(written)
        if word in STOP_WORDS and not written.isupper():
            return None
        # Questions are typed without capitals, and then "jaws" looks like the plural of a common noun.
        for key in dict.fromkeys((key_of(written), key_of(written.title()))):
            entity = self.snapshot.place(key) if key else None
            if entity is not None and self._is_visible(entity):
                how = How.EXACT if self.snapshot.keys[entity] == key else How.ALIAS
                return self._correct_misspelling(Match(entity, written, how, _SURE[how]), key)
        return None

    def _correct_misspelling(self, match: Match, key: str) -> Match:
        """The thing named far more often that documents misspell so once; ``match`` itself for every other name."""
        counts = self.snapshot.chunk_counts
        if counts[match.entity] > ONCE:
            return match
        names = (self._sorted_names[place] for place in self._find_sharing(key[:SAME_END], key[-SAME_END:]))
        meant = {self.snapshot.names[name] for name in names if is_slip_of(key, name)} - {match.entity}
        best = max(meant, key=lambda entity: (int(counts[entity]), -entity), default=None)
        if best is None or counts[best] < OFTENER * counts[match.entity]:
            return match
        return Match(best, match.text, How.FUZZY, match.score * _SURE[How.PREFIX])

    def _match_mistyped(self, written: str, language: str) -> Match | None:
        """A name that no capital marks, or that no text has: with a slip in it, or cut down to a short form."""
        short = self._match_counted(written) or self._match_capitals(written)
        words = [fold_words(word) for word in written.split()]
        if short is not None or {words[0], words[-1]} & STOP_WORDS:
            return short
        if len(words) == 1 and (
            len(words[0]) < SHORTEST_MISTYPED or word_informativeness(stem_word(words[0], language), language) < 1.0
        ):
            return None
        counts = self.snapshot.chunk_counts
        found: dict[int, str] = {}
        for key in dict.fromkeys((key_of(written), key_of(written.title()))):
            names = (self._sorted_names[place] for place in self._find_sharing(key[:SAME_END], key[-SAME_END:]))
            found |= {self.snapshot.names[name]: name for name in names if is_typed_for(key, name)}
        best = max(found, key=lambda entity: (int(counts[entity]), -entity), default=None)
        if best is None or not self._is_visible(best):
            return None
        return Match(best, written, How.FUZZY, _SURE[How.PREFIX] * _similarity_ratio(fold_words(written), found[best]))

    def _match_counted(self, written: str) -> Match | None:
        """What "k8s" stands for."""
        short = fold_words(written)
        if not any(character.isdigit() for character in short):
            return None
        names = (name for name in self._find_beginning(short[0]) if shortens_by_count(short, name))
        return self._choose_long_form({self.snapshot.names[name] for name in names}, written)

    def _match_capitals(self, written: str) -> Match | None:
        """What initials stand for that are written in capitals: "SEC"; people and places are seldom called by theirs."""
        if len(written) < SHORTEST_INITIALS or not (written.isupper() and written.isalpha()):
            return None
        entities = self._by_initials.get(fold_words(written), set())
        return self._choose_long_form({e for e in entities if self.snapshot.kinds[e] not in _NOT_BY_INITIALS}, written)

    def _choose_long_form(self, entities: Set[int], written: str) -> Match | None:
        """The one of ``entities`` that is named more than all others together."""
        counts = self.snapshot.chunk_counts
        total = sum(int(counts[entity]) for entity in entities)
        best = max(entities, key=lambda entity: (int(counts[entity]), -entity), default=None)
        if best is None or 2 * counts[best] <= total:
            return None
        return Match(best, written, How.ALIAS, _SURE[How.ALIAS])

    @cached_property
    def _by_initials(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for name, entity in self.snapshot.names.items():
            for initials in find_initials(name):
                if len(initials) >= SHORTEST_INITIALS:
                    found.setdefault(initials, set()).add(entity)
        return found

    def _match_part(self, written: str) -> Match | None:
        """What these words begin or end the name of; of several, one that is named more than all others."""
        key = key_of(written)
        if not key:
            return None
        names = (self._sorted_names[place] for place in self._find_sharing(f"{key} ", f" {key}"))
        found = self._choose_long_form({self.snapshot.names[name] for name in names}, written)
        return found and replace(found, how=How.PREFIX, score=_SURE[How.PREFIX])

    def _match_near(self, written: str) -> Match | None:
        key = key_of(written)
        if len(key) <= 2 * SAME_END:
            return None
        places = self._find_sharing(key[:SAME_END], key[-SAME_END:])
        rated = (
            (_similarity_ratio(key, name), -len(name), name)
            for name in (self._sorted_names[place] for place in places)
            if abs(len(name) - len(key)) <= 2 and self._is_visible(self.snapshot.names[name])
        )
        ratio, _, name = max(rated, default=(0.0, 0, ""))
        return (
            Match(self.snapshot.names[name], written, How.FUZZY, _SURE[How.PREFIX] * ratio) if ratio >= NEAR else None
        )

    def _match_meaning(self, written: str, at_hand: Sequence[int], embed: Embed | None) -> Match | None:
        near = list(dict.fromkeys(at_hand))[:MOST_EMBEDDED]
        if embed is None or not near:
            return None
        labels = [self.snapshot.at(entity).label for entity in near]
        cosines = self._embed_texts(labels, embed) @ self._embed_texts([written], embed)[0]
        best = int(np.argmax(cosines))
        if cosines[best] < MEANS:
            return None
        return Match(near[best], written, How.EMBEDDING, float(cosines[best]))

    def _embed_texts(self, texts: Sequence[str], embed: Embed) -> NDArray[np.float32]:
        with self._guard:
            missing = sorted({text for text in texts if text not in self._vectors})
        vectors = embed(missing) if missing else np.zeros((0, 0), dtype=np.float32)
        with self._guard:
            self._vectors.update(zip(missing, vectors, strict=True))
            return np.stack([self._vectors[text] for text in texts])

    def _find_beginning(self, front: str) -> Iterator[str]:
        """Names that begin so, in order."""
        names = self._sorted_names
        return takewhile(lambda name: name.startswith(front), islice(names, bisect_left(names, front), None))

    def _find_sharing(self, front: str, back: str) -> Iterator[int]:
        """Names that begin with ``front`` or end with ``back``, at most so many of each, in order."""
        names = self._sorted_names
        start = bisect_left(names, front)
        taken: set[int] = set()
        for place in range(start, min(len(names), start + MOST_COMPARED)):
            if not names[place].startswith(front):
                break
            taken.add(place)
            yield place
        order = self._by_ending
        backwards = back[::-1]
        start = bisect_left(order, backwards, key=lambda place: names[place][::-1])  # pyright: ignore[reportUnknownLambdaType]
        for row in range(start, min(len(order), start + MOST_COMPARED)):
            place = int(order[row])
            if not names[place].endswith(back):
                break
            if place not in taken:
                yield place


def _iterate_spans(words: int, longest: int = LONGEST) -> Iterator[tuple[int, int]]:
    """All runs of up to ``longest`` words, the longest first, then from the left."""
    for length in range(min(longest, words), 0, -1):
        for start in range(words - length + 1):
            yield start, start + length


def _similarity_ratio(left: str, right: str) -> float:
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= NEAR and matcher.quick_ratio() >= NEAR else 0.0
