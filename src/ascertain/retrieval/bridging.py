"""Bridges: what a passage names that the question does not, and how strongly that leads to another passage.

A question over two documents names the first and describes the second through it: "the city where the director of Jaws was
born" has a passage about Jaws, which names Spielberg, and one about Spielberg, which the question does not name. Following
the entities of passages already found to the next ones is what Baleen (Khattab et al., NeurIPS 2021) and GoldEn Retriever
(Qi et al., EMNLP 2019) learn; here it is done by rules over names, titles and the question's words still open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ascertain.core.chunks import Chunk
from ascertain.language.names import Words, names_in, without_qualifier, words_of
from ascertain.language.tokens import STOP_WORDS, content_terms, stem

NAME_WEIGHT = 0.55
"""Strength of sharing the rarest possible name."""
COVERED_WEIGHT = 0.5
"""Strength of sharing it where the passage also holds every word of the question that the first one leaves open."""
TITLE_WEIGHT = 0.2
"""Strength of being a document whose title the first passage names."""
RARITY_POWER = 2.0
"""Common names connect what has nothing to do with each other: half as rare counts a quarter.

The four are fitted on musique_train100, hotpot_train100 and morehopqa150 under the condition that R@5 of anthropic_docs,
clapnq_dev and xquad_en, whose questions need no second document, loses at most 0.5. With one of the three left out of the
fit, its R@5 still gains 8 to 12 points (``bench/results/multi_hop.json`` holds what the product reaches).
"""


@dataclass(frozen=True, slots=True)
class Question:
    """A question for following bridges: its words as ``spaced`` joins them; ``idf`` weighs each stem of a meaningful one."""

    text: str
    idf: Mapping[str, float]

    def names(self, words: Words) -> bool:
        """Whether the question says ``words`` next to each other, or each of them somewhere."""
        return says(self.text, words) or set(content_terms(" ".join(words))) <= self.idf.keys()


@dataclass(frozen=True, slots=True)
class Reading:
    """A chunk with its words, joined as ``spaced`` does, and stems, computed once."""

    chunk: Chunk
    text: str
    stems: frozenset[str]
    title: Words

    @classmethod
    def of(cls, chunk: Chunk) -> Reading:
        """The reading of title and text together."""
        words = words_of(chunk.indexed_text)
        stems = frozenset(stem(word) for word in set(words) - STOP_WORDS)
        return cls(chunk, spaced(words), stems, words_of(without_qualifier(chunk.title)))


@dataclass(frozen=True, slots=True)
class Bridge:
    """A passage to go on from.

    ``rarity`` maps what it names beyond the question to how rare that is, 0..1, as far as other chunks say it too;
    ``written`` gives all such names as they stand there. ``open`` weighs, as shares of 1, the question's stems that the
    passage does not hold. ``score`` is the passage's own.
    """

    reading: Reading
    score: float
    rarity: Mapping[Words, float]
    written: Mapping[Words, str]
    open: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Link:
    """How strongly a bridge leads to a chunk, 0..1, and by which name."""

    strength: float
    name: str


def names_beyond(question: Question, chunk: Chunk) -> dict[Words, str]:
    """What ``chunk`` names, its title included, that ``question`` does not."""
    title = without_qualifier(chunk.title)
    found = ({words_of(title): title} if title else {}) | names_in(chunk.text)
    return {words: written for words, written in found.items() if words and not question.names(words)}


def still_open(question: Question, reading: Reading) -> dict[str, float]:
    """The question's stems that a chunk does not hold, each with its share of their weight."""
    missing = {stem: weight for stem, weight in question.idf.items() if stem not in reading.stems}
    total = sum(missing.values())
    return {stem: weight / total for stem, weight in missing.items()} if total > 0 else {}


def link(bridge: Bridge, reading: Reading, question: Question) -> Link | None:
    """How ``bridge`` leads to a chunk of another document; None when it does not."""
    if reading.chunk.document_id == bridge.reading.chunk.document_id:
        return None
    shared = [name for name in bridge.rarity if says(reading.text, name)]
    best = max(shared, key=lambda name: (bridge.rarity[name], name), default=None)
    is_named = _names_title(bridge, reading.title, question)
    if best is None and not is_named:
        return None
    covered = sum(share for stem, share in bridge.open.items() if stem in reading.stems)
    rarity = 0.0 if best is None else bridge.rarity[best] ** RARITY_POWER
    strength = rarity * (NAME_WEIGHT + COVERED_WEIGHT * covered) + TITLE_WEIGHT * is_named
    title = without_qualifier(reading.chunk.title)
    return Link(min(strength, 1.0), title if is_named or best is None else bridge.written[best])


def spaced(words: Words) -> str:
    """``words`` with one space around each."""
    return f" {' '.join(words)} "


def says(text: str, words: Words) -> bool:
    """Whether ``words`` stand next to each other in a ``spaced`` text."""
    return bool(words) and spaced(words) in text


def _names_title(bridge: Bridge, title: Words, question: Question) -> bool:
    """One word must be part of a name in the passage, not just any word: there are books called "It"."""
    if not title or title == bridge.reading.title or says(question.text, title):
        return False
    if len(title) == 1:
        return any(title[0] in name for name in bridge.written)
    return says(bridge.reading.text, title)
