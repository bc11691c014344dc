"""Iteration: from what the question finds to what that names, for questions over several documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ascertain.core.answers import Decision
from ascertain.core.passages import Passage
from ascertain.core.runs import Run
from ascertain.core.settings import RetrievalSettings
from ascertain.language.names import Words, words_of
from ascertain.language.tokens import stem
from ascertain.retrieval.bridging import Bridge, Question, Reading, link, names_beyond, spaced, still_open
from ascertain.retrieval.search import FirstPass, Searcher
from ascertain.retrieval.title_match import inverse_document_frequency
from ascertain.stores.ports import CompleteStore

BEAM = 3
"""Passages gone on from in a round: the best of as many documents."""
ROUNDS = 2
"""Two reach the third document of a chain."""
MAX_NAMES = 16
"""Names followed from one passage, the rarest first."""


@dataclass(frozen=True, slots=True)
class Followed:
    """All passages after the last round, best first, and what was followed."""

    passages: tuple[Passage, ...]
    decisions: tuple[Decision, ...]


class Iteration:
    """Goes on from the best passages of a search, at most ``BEAM * ROUNDS`` times."""

    def __init__(self, searcher: Searcher, store: CompleteStore, settings: RetrievalSettings) -> None:
        self._searcher = searcher
        self._store = store
        self._settings = settings

    def follow(self, first: FirstPass, passages: Sequence[Passage], run: Run) -> Followed:
        """``passages`` and those they lead to under the same filter, each at least with the score it came with.

        ``Passage.scores["bridge"]`` is what being led to adds. Ends early when the run is out of time.
        """
        trail = _Trail(self._question(first), {passage.chunk.id: passage for passage in passages})
        for _ in range(ROUNDS):
            starts = trail.starts()
            if not starts or run.is_out_of_time:
                break
            bridges = [self._bridge(trail, passage, first) for passage in starts]
            hits = {chunk_id for bridge in bridges for chunk_id in self._hits(bridge, first)}
            unknown = sorted(hits - trail.passages.keys())
            if unknown:
                trail.add(self._searcher.ranked_with(first, unknown))
            for bridge in bridges:
                trail.cross(bridge)
        return Followed(tuple(trail.ranked()), tuple(trail.decisions))

    def _question(self, first: FirstPass) -> Question:
        terms = [term for term in first.question.terms if not term.startswith('"')]
        idf = {stem(term): weight for term, weight in self._weights(terms, first).items()}
        return Question(spaced(words_of(first.question.text)), idf)

    def _weights(self, terms: Sequence[str], first: FirstPass) -> dict[str, float]:
        count = self._store.count(first.question.filter.tenant)
        frequencies = self._store.document_frequencies(terms)
        return {term: inverse_document_frequency(frequencies.get(term, 0), count) for term in terms}

    def _bridge(self, trail: _Trail, passage: Passage, first: FirstPass) -> Bridge:
        reading = trail.reading(passage)
        written = names_beyond(trail.question, passage.chunk)
        rarity = self._rarity(written, first)
        return Bridge(reading, passage.score, rarity, written, still_open(trail.question, reading))

    def _rarity(self, names: Mapping[Words, str], first: FirstPass) -> dict[Words, float]:
        """How rare each name is that at least two chunks hold: its IDF over that of a name in a single chunk."""
        count = self._store.count(first.question.filter.tenant)
        frequencies = self._store.document_frequencies([_term(name) for name in names])
        rarest = inverse_document_frequency(1, count)
        shared = {name: frequencies[_term(name)] for name in names if frequencies[_term(name)] > 1}
        kept = sorted(shared, key=lambda name: (shared[name], name))[:MAX_NAMES]
        return {name: inverse_document_frequency(shared[name], count) / rarest for name in kept}

    def _hits(self, bridge: Bridge, first: FirstPass) -> list[str]:
        """Chunks that hold what the passage names and the question's words that it leaves open."""
        if not bridge.rarity:
            return []
        terms = {_term(name): 1.0 for name in bridge.rarity}
        terms |= {term: 1.0 for term in first.candidates.terms if stem(term) in bridge.open}
        found = self._store.lexical(terms, self._settings.candidates, first.result.filter)
        return [hit.chunk_id for hit in found]


class _Trail:
    """What was found so far and how."""

    def __init__(self, question: Question, passages: dict[str, Passage]) -> None:
        self.question = question
        self.passages = passages
        self.decisions: list[Decision] = []
        self._found = {chunk_id: passage.score for chunk_id, passage in passages.items()}
        self._gone: set[str] = set()
        self._readings: dict[str, Reading] = {}

    def add(self, passages: Sequence[Passage]) -> None:
        """Passages that were not there; those that were keep their scores."""
        for passage in passages:
            if passage.chunk.id not in self.passages:
                self.passages[passage.chunk.id] = passage
                self._found[passage.chunk.id] = passage.score

    def ranked(self) -> list[Passage]:
        """Best first; ties by chunk id."""
        return sorted(self.passages.values(), key=lambda passage: (-passage.score, passage.chunk.id))

    def starts(self) -> list[Passage]:
        """The best passage of each of the best documents, as far as it was not gone on from yet."""
        best: dict[str, Passage] = {}
        for passage in self.ranked():
            best.setdefault(passage.chunk.document_id, passage)
        chosen = [passage for passage in list(best.values())[:BEAM] if passage.chunk.id not in self._gone]
        self._gone |= {passage.chunk.id for passage in chosen}
        return chosen

    def reading(self, passage: Passage) -> Reading:
        """Its words, computed once."""
        key = passage.chunk.id
        if key not in self._readings:
            self._readings[key] = Reading.of(passage.chunk)
        return self._readings[key]

    def cross(self, bridge: Bridge) -> None:
        """Raise what ``bridge`` leads to."""
        by_name: dict[str, int] = {}
        for key, passage in list(self.passages.items()):
            found = link(bridge, self.reading(passage), self.question)
            if found is None:
                continue
            gain = bridge.score * found.strength
            if gain <= passage.scores.get("bridge", 0.0):
                continue
            score = _raised(self._found[key], gain)
            title = bridge.reading.chunk.title
            self.passages[key] = replace(
                passage,
                score=score,
                scores=passage.scores | {"bridge": gain},
                explanation=f"followed {found.name} from “{title}”",
            )
            by_name[found.name] = by_name.get(found.name, 0) + 1
        if by_name:
            self._record(bridge, by_name)

    def _record(self, bridge: Bridge, by_name: Mapping[str, int]) -> None:
        names = sorted(by_name, key=lambda name: (-by_name[name], name))
        told = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        total = sum(by_name.values())
        self.decisions.append(
            Decision(
                "iterate",
                f"{total} passage{'s' if total > 1 else ''}",
                f"followed {told} from “{bridge.reading.chunk.title}”",
                {"score": bridge.score},
            )
        )


def _raised(score: float, gain: float) -> float:
    """The probabilistic sum: never below either, never above 1, and what the question found well gains least."""
    return score + (1.0 - score) * gain


def _term(name: Words) -> str:
    """As the store looks it up: a phrase when it has several words."""
    return f'"{" ".join(name)}"' if len(name) > 1 else "".join(name)
