"""What a community is about in words of its documents: its names, and a few of their sentences that stand for
the rest.

A sentence stands for its community when its passage names what is telling of it and lies near the mean of its
vectors, and when its words are those of many of its passages; it must read as a sentence of its own and say
something else than those taken before (maximal marginal relevance, Carbonell & Goldstein, SIGIR 1998).
Sentences are spans of stored documents: nothing is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ascertain.core.chunks import Chunk
from ascertain.core.spans import Span
from ascertain.core.surveys import Description, Representative
from ascertain.graph.communities import Communities, Community, written_names
from ascertain.graph.snapshot import Snapshot
from ascertain.language.instructions import instruction_spans
from ascertain.language.sentences import is_fragment, leans, split_sentences
from ascertain.language.tokens import content_terms
from ascertain.language.word_lists import load_alternatives
from ascertain.stores.ports import CompleteStore

_any_of = partial(load_alternatives, "summaries")
"""A list of words as alternatives of a regular expression."""

POOL = 40
"""Passages of a community that are read for its sentences, those that name what is most telling first."""
OF_ONE_DOCUMENT = 4
"""Of these at most so many of one document where there are others: one long document is not what many say."""
SENTENCES = 5
"""Sentences kept of each community; an answer quotes the first one or two, a chat model is shown them all."""
NAMES = 5
"""Names in a label."""
DIVERSITY = 0.3
"""Weight of being unlike what is taken already; Carbonell & Goldstein found 0.3 to 0.7 useful, and the
sentences here are few."""
FEWEST_WORDS, MOST_WORDS = 8, 35
"""Length of a sentence that says something and is still read at a glance."""
_OPENING = 0.15
"""What is added to the first sentence of a document: it says what the document is about more often than any
other."""
_SUBJECT = 0.1
"""What is added to a sentence that begins with a telling name: it says something of it, and does not merely
mention it."""
_SAME_DOCUMENT = 0.5
"""How alike a sentence counts as to others of its document, at least; several documents speak for a
community."""
_SPEAKER = re.compile(r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3}: (?=[A-Z\"“‘'])")
_WHOLE = re.compile(
    r"[\"“‘'(]*(?=[A-Z0-9]|[^\W\d_a-z])(?!\d+[.)]\s).*[.!。！।][\"'”’»)]*(?:\[\d+\])*$", re.DOTALL
)
"""Begins like a sentence, without the mark of a list, and ends like one."""
_HANGS = re.compile(
    rf"^(?:(?:more|most) recently|(?:{_any_of('hanging_prepositions')}) (?:{_any_of('hanging_pronouns')})|on the (?:other|one) hand"
    rf"|(?:by|in) contrast|one of (?:them|these)|the (?:{_any_of('hanging_nouns')})|{_any_of('hanging')})\b",
    re.IGNORECASE,
)
"""Goes on with what was said before, in ways that are harmless in an answer to a question and not in a
summary."""
_SMALL_TALK = re.compile(
    rf"^(?:{_any_of('speakers')})\b|\b(?:{_any_of('small_talk')}|this is .{{1,60}} with)\b",
    re.IGNORECASE,
)


def describe(
    community: Community, snapshot: Snapshot, store: CompleteStore, *, sentences: int = SENTENCES
) -> Description:
    """What a community is about; only its own passages are looked at, so what is invisible stays so.

    Passages that the store does not have any more are passed over.
    """
    names = written_names(snapshot, community.entities.tolist(), community.chunks, NAMES)
    ids = [str(snapshot.chunk_ids[chunk]) for chunk in _pool(community, snapshot)]
    chunks = [chunk for chunk in store.get(ids) if not chunk.is_parent]
    if not chunks or sentences < 1:
        return Description(names, ())
    return Description(names, tuple(_chosen(chunks, _centrality(chunks, store), names, sentences)))


def described(
    communities: Communities, level: int, snapshot: Snapshot, store: CompleteStore, limit: int
) -> Iterator[tuple[Community, Description]]:
    """The largest communities of a level with their descriptions, one by one."""
    for community in communities.at(level)[:limit]:
        yield community, describe(community, snapshot, store)


def _pool(community: Community, snapshot: Snapshot) -> list[int]:
    """Places of the passages that name what is most telling, at most POOL."""
    weight = np.zeros(snapshot.size)
    weight[community.entities] = community.weights
    mentions, origin = snapshot.by_chunk.joined(community.chunks)
    pairs = np.unique(origin.astype(np.int64) << 32 | snapshot.mention_entity[mentions])
    of_chunk, entity = pairs >> 32, pairs & 0xFFFFFFFF
    told = np.bincount(of_chunk, weights=weight[entity], minlength=len(community.chunks))
    # passages are of about one length, so that naming more is telling more, though ever less so
    order = np.lexsort((community.chunks, -np.sqrt(told)))
    taken: list[int] = []
    spare: list[int] = []
    of_document: Counter[int] = Counter()
    for place in community.chunks[order].tolist():
        document = int(snapshot.chunk_document[place])
        of_document[document] += 1
        (taken if of_document[document] <= OF_ONE_DOCUMENT else spare).append(place)
        if len(taken) == POOL:
            break
    return [*taken, *spare][:POOL]


def _centrality(chunks: Sequence[Chunk], store: CompleteStore) -> NDArray[np.float64]:
    """Cosine of each passage to the mean of all; shape (chunks,)."""
    vectors = store.vectors([chunk.id for chunk in chunks]).astype(np.float64)
    mean = vectors.mean(axis=0)
    return vectors @ mean / max(float(np.linalg.norm(mean)), 1e-9)


@dataclass(frozen=True, slots=True)
class _Candidate:
    chunk: int
    document_id: str
    span: Span
    text: str
    terms: frozenset[str]
    score: float


def _chosen(
    chunks: Sequence[Chunk], central: NDArray[np.float64], names: Sequence[str], limit: int
) -> Iterator[Representative]:
    candidates: list[_Candidate] = _candidates(chunks, central, names)
    taken: list[_Candidate] = []
    while candidates and len(taken) < limit:
        best = max(candidates, key=lambda one: (_worth(one, taken), -one.chunk, -one.span.start))
        taken.append(best)
        candidates = [one for one in candidates if one is not best and one.text != best.text]
        yield Representative(chunks[best.chunk], best.span, best.text, round(best.score, 4))


def _worth(candidate: _Candidate, taken: Sequence[_Candidate]) -> float:
    alike = max((_alike(candidate, other) for other in taken), default=0.0)
    return (1 - DIVERSITY) * candidate.score - DIVERSITY * alike


def _alike(one: _Candidate, other: _Candidate) -> float:
    if one.chunk == other.chunk:
        return 1.0
    shared = len(one.terms & other.terms) / max(1, min(len(one.terms), len(other.terms)))
    return max(shared, _SAME_DOCUMENT) if one.document_id == other.document_id else shared


def _candidates(
    chunks: Sequence[Chunk], central: NDArray[np.float64], names: Sequence[str]
) -> list[_Candidate]:
    """Sentences that can stand alone, scored 0 to about 1; where none can, any that is a sentence."""
    spread = Counter(term for chunk in chunks for term in set(content_terms(chunk.text)))
    telling = [name for name in (frozenset(content_terms(name)) for name in names) if name]
    alone: list[_Candidate] = []
    others: list[_Candidate] = []
    for number, chunk in enumerate(chunks):
        opening = True
        for span in _sentences(chunk):
            text = span.of(chunk.text)
            words = " ".join(text.split())
            if is_fragment(words):
                continue
            terms = content_terms(words)
            if not terms or words.endswith("?") or _SMALL_TALK.search(words):
                continue
            common = float(np.mean([spread[term] for term in set(terms)])) / len(chunks)
            named = sum(name <= set(terms) for name in telling) / max(1, len(telling))
            score = 0.4 * float(central[number]) + 0.3 * min(1.0, 2 * common) + 0.3 * min(1.0, 2 * named)
            score += _SUBJECT * any(name <= set(terms[: len(name) + 1]) for name in telling)
            score += _OPENING * (opening and chunk.index == 0)
            opening = False
            place = span.shift(chunk.span.start)
            candidate = _Candidate(number, chunk.document_id, place, text, frozenset(terms), score)
            (alone if _stands_alone(words) else others).append(candidate)
    return alone or others


def _stands_alone(words: str) -> bool:
    fits = FEWEST_WORDS <= words.count(" ") + 1 <= MOST_WORDS
    return fits and _WHOLE.match(words) is not None and not leans(words) and not _HANGS.match(words)


def _sentences(chunk: Chunk) -> Iterator[Span]:
    """Sentences of a passage that hold no instruction to a model, without the name of who speaks."""
    orders = instruction_spans(chunk.text)
    for span in split_sentences(chunk.text):
        speaker = _SPEAKER.match(chunk.text, span.start, span.end)
        said = Span(speaker.end(), span.end) if speaker else span
        if not any(said.overlap(order) for order in orders):
            yield said
