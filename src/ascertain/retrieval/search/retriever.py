"""Retrieval for one attempt of the workflow: the question, its parts, its other wordings, what the graph adds, and where
the results lead to.

A question over two documents names the first and describes the second through it: "the city where the director of Jaws
was born" has a passage about Jaws, which names Spielberg, and one about Spielberg, which the question does not name.
Following the entities of passages already found to the next ones is what Baleen (Khattab et al., NeurIPS 2021) and
GoldEn Retriever (Qi et al., EMNLP 2019) learn; ``Iteration`` does it by rules over names, titles and the question's words
still open.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Filter, Passage, Strategy
from ascertain.core.asking.plans import GraphQuery, SubQuery, Variant
from ascertain.core.asking.requests import SearchResult
from ascertain.core.asking.runs import Run
from ascertain.core.documents.documents import Chunk
from ascertain.core.errors import StoreError
from ascertain.core.settings import RetrievalSettings
from ascertain.language.languages import ENGLISH
from ascertain.language.names import Words, names_in, without_qualifier, words_of
from ascertain.language.tokens import STOP_WORDS, content_terms, stem_word
from ascertain.questions.model_inputs import fold_wording
from ascertain.retrieval.search.graph_retrieval import GraphRetrieval, Look
from ascertain.retrieval.search.ranking import inverse_document_frequency
from ascertain.retrieval.search.searcher import FirstPass, Searcher
from ascertain.stores.ports.chunks import CompleteStore

PART_WEIGHT = 0.3
"""How far the score for a part or another wording raises a passage's score for the question."""
MAX_PARTS = 8
"""Searches beside the question's own; more parts and wordings than that are left out, the least urgent first."""


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """``iterate`` follows what the first passages name to further ones, for questions over several documents.

    ``graph_query`` is what the wording of the question asks of the graph, which the router then decides about; with
    None the graph is left out. ``asked`` is the original of ``question`` if that is a rewording: how near the
    passages found are is measured to it, since a wording that took up words of passages is near these whatever they
    say.
    """

    question: str
    language: str
    strategy: Strategy
    k: int
    filter: Filter = Filter()
    days_back: int | None = None
    sub_queries: tuple[SubQuery, ...] = ()
    variants: tuple[Variant, ...] = ()
    iterate: bool = False
    graph_query: GraphQuery | None = None
    asked: str = ""


class Retriever:
    """Searches for everything a request names and fuses what comes back."""

    def __init__(
        self, searcher: Searcher, store: CompleteStore, settings: RetrievalSettings, graph: GraphRetrieval | None = None
    ) -> None:
        self._searcher = searcher
        self._iteration = Iteration(searcher, store, settings)
        self._graph = graph

    def retrieve(self, request: RetrievalRequest, run: Run) -> SearchResult:
        """The ``k`` best passages over the question, its parts and its variants; see ``Searcher.search``.

        Without the graph a passage's score is at least what the question itself gave it; ``scores`` holds what a part
        ("sub_query"), another wording ("variant"), a bridge and the graph added. Filter, dates included, are those of
        the question in every pass.
        """
        started = time.perf_counter()
        first = self._searcher.explore(
            request.question,
            request.language,
            strategy=request.strategy,
            k=request.k,
            filter=request.filter,
            days_back=request.days_back,
        )
        passages: Sequence[Passage] = first.ranked
        decisions = list(first.result.decisions)
        parts = self._search_parts(request, first, run)
        if parts:
            passages = self._fuse_parts(first, parts)
            decisions += [part.decision for part in parts]
        look, unavailable = self._look_at_graph(request, first) if passages else (None, ())
        leads_on = look is not None and look.is_worth_while
        if passages and (request.iterate or leads_on):
            followed = self._iteration.follow(first, passages, run)
            passages = followed.passages
            decisions += followed.decisions
        decisions += unavailable
        if look is not None and self._graph is not None and not run.is_out_of_time:
            walked = self._graph.walk(look, first, passages)
            passages = walked.passages
            decisions.append(walked.decision)
        kept = passages[: request.k]
        if request.asked and fold_wording(request.asked) != fold_wording(first.question.text):
            kept = self._searcher.measure_nearness(request.asked, kept)
        return replace(
            first.result, passages=tuple(kept), decisions=tuple(decisions), seconds=time.perf_counter() - started
        )

    def _look_at_graph(self, request: RetrievalRequest, first: FirstPass) -> tuple[Look | None, Sequence[Decision]]:
        """What to query the graph for; an unreadable graph does not affect the rest of the question."""
        if self._graph is None or request.graph_query is None:
            return None, ()
        try:
            return self._graph.look(first, request.graph_query, request.iterate), ()
        except StoreError as error:
            return None, (Decision("graph", "unavailable", str(error)),)

    def _search_parts(self, request: RetrievalRequest, first: FirstPass, run: Run) -> list[_Part]:
        wanted = [("sub_query", f"sub-query “{part.text}”", part.text) for part in _by_urgency(request)]
        wanted += [
            ("variant", f"{variant.kind} wording “{variant.text}”", variant.text) for variant in request.variants
        ]
        seen = {fold_wording(request.question)}
        parts: list[_Part] = []
        for kind, label, text in wanted:
            if len(parts) == MAX_PARTS or run.is_out_of_time:
                break
            if not text.strip() or fold_wording(text) in seen:
                continue
            seen.add(fold_wording(text))
            found = self._searcher.search(
                text, request.language, strategy=request.strategy, k=request.k, filter=first.result.filter
            )
            parts.append(_Part(kind, label, found))
        return parts

    def _fuse_parts(self, first: FirstPass, parts: Sequence[_Part]) -> list[Passage]:
        known = {passage.chunk.id for passage in first.ranked}
        added = {passage.chunk.id for part in parts for passage in part.found.passages} - known
        passages = self._searcher.ranked_with(first, sorted(added)) if added else first.ranked
        raised = [_score_by_parts(passage, parts) for passage in passages]
        return sorted(raised, key=lambda passage: (-passage.score, passage.chunk.id))


@dataclass(frozen=True, slots=True)
class _Part:
    """One search beside the question's own."""

    kind: str
    label: str
    found: SearchResult

    @property
    def decision(self) -> Decision:
        count = len(self.found.passages)
        scores = {"confidence": float(self.found.confidence.score)}
        return Decision("search", f"{count} passages", self.label, scores, self.found.seconds)

    def score(self, chunk_id: str) -> float:
        return max((p.score for p in self.found.passages if p.chunk.id == chunk_id), default=0.0)


def _by_urgency(request: RetrievalRequest) -> list[SubQuery]:
    return sorted(request.sub_queries, key=lambda part: part.priority)


def _score_by_parts(passage: Passage, parts: Sequence[_Part]) -> Passage:
    """Its score for the question plus a share of the best that a part gave it: never less, never over 1."""
    by_kind: dict[str, float] = {}
    for part in parts:
        score = part.score(passage.chunk.id)
        if score > by_kind.get(part.kind, 0.0):
            by_kind[part.kind] = score
    if not by_kind:
        return passage
    best = max(by_kind.values())
    score = passage.score + PART_WEIGHT * best * (1.0 - passage.score)
    return replace(passage, score=score, scores=passage.scores | by_kind)


NAME_WEIGHT = 0.55
"""Strength of sharing the rarest possible name."""
COVERED_WEIGHT = 0.5
"""Strength of sharing it where the passage also holds every word of the question that the first one leaves open."""
TITLE_WEIGHT = 0.2
"""Strength of being a document whose title the first passage names."""
RARITY_POWER = 2.0
"""Common names connect unrelated things: half as rare counts a quarter.

The four are fitted on musique_train100, hotpot_train100 and morehopqa150 under the condition that R@5 of
anthropic_docs, clapnq_dev and xquad_en, whose questions need no second document, loses at most 0.5. With one of the
three left out of the fit, its R@5 still gains 8 to 12 points (``bench/results/multi_hop.json`` holds what the product
reaches).
"""


@dataclass(frozen=True, slots=True)
class Question:
    """A question for following bridges: its words as ``pad_words`` joins them; ``idf`` weighs each stem of a meaningful
    one.
    """

    text: str
    language: str
    idf: Mapping[str, float]

    def names(self, words: Words) -> bool:
        """Whether the question says ``words`` next to each other, or each of them somewhere."""
        return contains_words(self.text, words) or set(content_terms(" ".join(words), self.language)) <= self.idf.keys()


REMEMBERED = 1_000
"""Texts whose words are remembered, about 8 KB each: a question looks at a hundred or two, most of them in every round."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A chunk with its words, joined as ``pad_words`` does, and stems, computed once."""

    chunk: Chunk
    text: str
    stems: frozenset[str]
    title: Words

    @classmethod
    def of(cls, chunk: Chunk, language: str) -> Reading:
        """The reading of title and text together."""
        text, stems = _read_text(chunk.indexed_text, language)
        return cls(chunk, text, stems, words_of(without_qualifier(chunk.title)))


@lru_cache(maxsize=REMEMBERED)
def _read_text(text: str, language: str) -> tuple[str, frozenset[str]]:
    words = words_of(text)
    if language != ENGLISH:
        return pad_words(words), frozenset(content_terms(text, language))
    return pad_words(words), frozenset(stem_word(word, language) for word in set(words) - STOP_WORDS)


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


def link_bridge(bridge: Bridge, reading: Reading, question: Question) -> Link | None:
    """How ``bridge`` leads to a chunk of another document; None when it does not."""
    if reading.chunk.document_id == bridge.reading.chunk.document_id:
        return None
    shared = [name for name in bridge.rarity if contains_words(reading.text, name)]
    best = max(shared, key=lambda name: (bridge.rarity[name], name), default=None)
    is_named = _names_title(bridge, reading.title, question)
    if best is None and not is_named:
        return None
    covered = sum(share for stem, share in bridge.open.items() if stem in reading.stems)
    rarity = 0.0 if best is None else bridge.rarity[best] ** RARITY_POWER
    strength = rarity * (NAME_WEIGHT + COVERED_WEIGHT * covered) + TITLE_WEIGHT * is_named
    title = without_qualifier(reading.chunk.title)
    return Link(min(strength, 1.0), title if is_named or best is None else bridge.written[best])


def pad_words(words: Words) -> str:
    """``words`` with one space around each."""
    return f" {' '.join(words)} "


def contains_words(text: str, words: Words) -> bool:
    """Whether ``words`` stand next to each other in a ``pad_words`` text."""
    return bool(words) and pad_words(words) in text


def _names_title(bridge: Bridge, title: Words, question: Question) -> bool:
    """One word must be part of a name in the passage, not just any word: there are books called "It"."""
    if not title or title == bridge.reading.title or contains_words(question.text, title):
        return False
    if len(title) == 1:
        return any(title[0] in name for name in bridge.written)
    return contains_words(bridge.reading.text, title)


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
        trail = _Trail(self._read_question(first), {passage.chunk.id: passage for passage in passages})
        for _ in range(ROUNDS):
            starts = trail.starts()
            if not starts or run.is_out_of_time:
                break
            bridges = [self._build_bridge(trail, passage, first) for passage in starts]
            hits = {chunk_id for bridge in bridges for chunk_id in self._find_hits(bridge, first)}
            unknown = sorted(hits - trail.passages.keys())
            if unknown:
                trail.add(self._searcher.ranked_with(first, unknown))
            for bridge in bridges:
                trail.cross(bridge)
        return Followed(tuple(trail.ranked()), tuple(trail.decisions))

    def _read_question(self, first: FirstPass) -> Question:
        terms = [term for term in first.question.terms if not term.startswith('"')]
        idf = {
            stem_word(term, first.question.language): weight for term, weight in self._weigh_terms(terms, first).items()
        }
        return Question(pad_words(words_of(first.question.text)), first.question.language, idf)

    def _weigh_terms(self, terms: Sequence[str], first: FirstPass) -> dict[str, float]:
        count = self._store.count(first.question.filter.tenant)
        frequencies = self._store.document_frequencies(terms)
        return {term: inverse_document_frequency(frequencies.get(term, 0), count) for term in terms}

    def _build_bridge(self, trail: _Trail, passage: Passage, first: FirstPass) -> Bridge:
        reading = trail.reading(passage)
        written = names_beyond(trail.question, passage.chunk)
        rarity = self._rate_rarity(written, first)
        return Bridge(reading, passage.score, rarity, written, still_open(trail.question, reading))

    def _rate_rarity(self, names: Mapping[Words, str], first: FirstPass) -> dict[Words, float]:
        """How rare each name is that at least two chunks hold: its IDF over that of a name in a single chunk."""
        count = self._store.count(first.question.filter.tenant)
        frequencies = self._store.document_frequencies([_lookup_term(name) for name in names])
        rarest = inverse_document_frequency(1, count)
        shared = {name: frequencies[_lookup_term(name)] for name in names if frequencies[_lookup_term(name)] > 1}
        kept = sorted(shared, key=lambda name: (shared[name], name))[:MAX_NAMES]
        return {name: inverse_document_frequency(shared[name], count) / rarest for name in kept}

    def _find_hits(self, bridge: Bridge, first: FirstPass) -> list[str]:
        """Chunks that hold what the passage names and the question's words that it leaves open."""
        if not bridge.rarity:
            return []
        terms = {_lookup_term(name): 1.0 for name in bridge.rarity}
        terms |= {
            term: 1.0 for term in first.candidates.terms if stem_word(term, first.question.language) in bridge.open
        }
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
            self._readings[key] = Reading.of(passage.chunk, self.question.language)
        return self._readings[key]

    def cross(self, bridge: Bridge) -> None:
        """Raise what ``bridge`` leads to."""
        by_name: dict[str, int] = {}
        for key, passage in list(self.passages.items()):
            found = link_bridge(bridge, self.reading(passage), self.question)
            if found is None:
                continue
            gain = bridge.score * found.strength
            if gain <= passage.scores.get("bridge", 0.0):
                continue
            score = _raise_score(self._found[key], gain)
            title = bridge.reading.chunk.title
            self.passages[key] = replace(
                passage,
                score=score,
                scores=passage.scores | {"bridge": gain},
                explanation=f"followed {found.name} from “{title}”",
            )
            by_name[found.name] = by_name.get(found.name, 0) + 1
        if by_name:
            self._record_bridge(bridge, by_name)

    def _record_bridge(self, bridge: Bridge, by_name: Mapping[str, int]) -> None:
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


def _raise_score(score: float, gain: float) -> float:
    """The probabilistic sum: never below either, never above 1, and what the question found well gains least."""
    return score + (1.0 - score) * gain


def _lookup_term(name: Words) -> str:
    """As the store looks it up: a phrase when it has several words."""
    return f'"{" ".join(name)}"' if len(name) > 1 else "".join(name)
