"""Themes: communities that speak of alike things, brought together by the meaning of their passages.

Names alone leave what is written about one subject in pieces: two papers on one method may share no name. So the
communities of the coarsest level are joined by Leiden once more, over how near the mean vectors of their passages lie;
the vectors are those that the store keeps. The demo corpus, four folders, falls from 31 communities into five themes;
48 unrelated articles of Wikipedia stay 30.

What a community is about is said by words that many of its passages use, by its names and by a few of its sentences, spans of
stored documents. Such a sentence
comes from a passage near the mean of the vectors that names typical things, has words of many of the passages, can
stand alone, and says something else than those taken before (maximal marginal relevance, Carbonell & Goldstein, SIGIR
1998).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import graspologic_native  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
from numpy.typing import NDArray

from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk
from ascertain.core.reports.overviews import Description, Representative
from ascertain.graph.communities import ITERATIONS, SEED, Communities, Community, Telling, written_names
from ascertain.graph.snapshot import Mask, Snapshot
from ascertain.language.instructions import instruction_spans
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import is_fragment, leans_on_previous, split_sentences
from ascertain.language.tokens import STOP_WORDS, WORD, content_terms, fold_words, stem_word, word_informativeness
from ascertain.language.word_lists import load_alternatives, load_word_set
from ascertain.stores.ports.chunks import CompleteStore
from ascertain.stores.ports.graph import Indices
from ascertain.stores.records.vectors import fetch_vectors, keep_there

_any_of = partial(load_alternatives, "summaries")
"""A list of words as alternatives of a regular expression."""

POOL = 40
"""Passages of a community that are read for its sentences, those that name the most typical things first."""
OF_ONE_DOCUMENT = 4
"""Of these at most so many of one document where there are others: one long document is not what many say."""
SENTENCES = 5
"""Sentences stored for each community; an answer quotes the first one or two, a chat model is shown them all."""
NAMES, TOPICS = 4, 3
"""Names and common words in a label."""
TELLING_WORD, COMMON_WORD = 0.85, 0.1
"""Informativeness of a word, and share of the passages that use it, from which it says what they are about (by eye on the themes of
asked, dev).
"""
DIVERSITY = 0.3
"""Weight of being unlike what is taken already; Carbonell & Goldstein found 0.3 to 0.7 useful."""
FEWEST_WORDS, MOST_WORDS = 8, 35
"""Length of a sentence that says something and is still read at a glance."""
_OPENING = 0.15
"""What is added to the first sentence of a document: it says what the document is about more often than any other."""
_SUBJECT = 0.1
"""What is added to a sentence that begins with a typical name: it says something of it, and does not merely mention it.
"""
_SAME_DOCUMENT = 0.5
"""How alike a sentence counts as to others of its document, at least; several documents speak for a community."""
_SPEAKER = re.compile(r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3}: (?=[A-Z\"“‘'])")
_WHOLE = re.compile(r"[\"“‘'(]*(?=[A-Z0-9]|[^\W\d_a-z])(?!\d+[.)]\s).*[.!。！।][\"'”’»)]*(?:\[\d+\])*$", re.DOTALL)
"""Begins like a sentence, without the mark of a list, and ends like one."""
_HANGS = re.compile(
    rf"^(?:(?:more|most) recently|(?:{_any_of('hanging_prepositions')}) (?:{_any_of('hanging_pronouns')})"
    rf"|on the (?:other|one) hand|(?:by|in) contrast|one of (?:them|these)"
    rf"|the (?:{_any_of('hanging_nouns')})|{_any_of('hanging')})\b",
    re.IGNORECASE,
)
"""Goes on with what was said before, in ways that are harmless in an answer to a question and not in a summary."""
_SMALL_TALK = re.compile(
    rf"^(?:{_any_of('speakers')})\b|\b(?:{_any_of('small_talk')}|this is .{{1,60}} with)\b", re.IGNORECASE
)
AS_NOUN = 0.25
"""Share of its places in which a word stands behind an article or the like, from which it is a noun."""
_NOUN = re.compile(
    rf"\b(?:{load_alternatives('noun_phrases', 'before_topics')})\s+([a-z]{{4,}})\b(?!\s+of\b)", re.IGNORECASE
)
_NO_NOUN = (*load_word_set("noun_phrases", "no_last_endings"), "ing")
_ASIDE = re.compile(r"\[[^\]\n]{0,2000}\]")
"""Of transcripts: "[laughter]"."""
_ADDRESS = re.compile(r"\b(?:I|you|your|me|my)\b|I['’]")
_IN_TALK = 0.15
"""What is taken from a sentence in which a speaker talks about himself or to someone: it is about them, not a theme."""
_BREAKS_OFF = re.compile(r"(?:\.\.\.|…)[\"'”’)]*$")
_GIVEN_NAMES = load_word_set("names", "given_names")
_NO_TOPIC = STOP_WORDS | load_word_set("noun_phrases", "verbs") | load_word_set("noun_phrases", "vague")
Vectors = NDArray[np.float32]
MOST = 500
"""Communities that are compared, the largest ones; the others stay by themselves."""
SAMPLED = 10
"""Passages of a community whose mean stands for it, spread over it: at most 5,000 vectors are read in all."""
NEAR = 0.4
"""Share of the mean cosine of passages to the mean of their own community from which two means are near. Below 0.4
unrelated articles of Wikipedia run together, above it subjects of the demo corpus fall apart.
"""
NEAREST = 5
"""Neighbours each is joined to, at most; 5 divides the demo corpus by its folders, 3 and 10 break one of them."""


def describe_community(
    community: Community, snapshot: Snapshot, store: CompleteStore, *, sentences: int = SENTENCES
) -> Description:
    """What a community is about; only its own passages are looked at, so what is invisible stays so.

    Passages that the store no longer has are skipped.
    """
    found = written_names(snapshot, community.entities.tolist(), community.chunks, 2 * NAMES)
    # a first name alone does not say who that is
    names = (tuple(name for name in found if fold_words(name) not in _GIVEN_NAMES) or found)[:NAMES]
    ids = [str(snapshot.chunk_ids[chunk]) for chunk in _choose_pool(community, snapshot)]
    chunks = [chunk for chunk in store.get(ids) if not chunk.is_parent]
    if not chunks or sentences < 1:
        return Description(names, ())
    there, vectors = fetch_vectors(store, [chunk.id for chunk in chunks])
    chunks = keep_there(chunks, there)
    if not chunks:
        return Description(names, ())
    topics = _find_topics(chunks, names)
    central = _measure_centrality(vectors)
    return Description(names, tuple(_choose_representatives(chunks, central, (*names, *topics), sentences)), topics)


def _find_topics(chunks: Sequence[Chunk], names: Sequence[str]) -> tuple[str, ...]:
    """Words in lower case that many passages use and that mean something, as they mostly write them."""
    named = set(content_terms(" ".join(names), ENGLISH))
    spread = Counter[str]()
    ways: dict[str, Counter[str]] = {}
    nouns = Counter[str]()
    for chunk in chunks:
        text = _ASIDE.sub(" ", chunk.text)
        words = [word for word in WORD.findall(text) if word.isalpha() and word.islower() and len(word) > 3]
        for word in words:
            ways.setdefault(stem_word(word, ENGLISH), Counter())[word] += 1
        nouns.update(stem_word(match[1], ENGLISH) for match in _NOUN.finditer(text))
        spread.update(
            {stem_word(word, ENGLISH) for word in words if word not in _NO_TOPIC and not word.endswith(_NO_NOUN)}
        )
    least = max(2.0, COMMON_WORD * len(chunks))
    telling = [
        stem
        for stem, count in spread.items()
        if count >= least
        and stem not in named
        and word_informativeness(stem, ENGLISH) >= TELLING_WORD
        and nouns[stem] >= AS_NOUN * ways[stem].total()
    ]
    telling.sort(key=lambda stem: (-spread[stem] * word_informativeness(stem, ENGLISH), stem))
    return tuple(min(ways[stem], key=lambda way: (-ways[stem][way], way)) for stem in telling[:TOPICS])


def _choose_pool(community: Community, snapshot: Snapshot) -> list[int]:
    """Places of the passages that name the most typical things, at most POOL."""
    weight = np.zeros(snapshot.size)
    weight[community.entities] = community.weights
    mentions, origin = snapshot.by_chunk.join_groups(community.chunks)
    pairs = np.unique(origin.astype(np.int64) << 32 | snapshot.mention_entity[mentions])
    of_chunk, entity = pairs >> 32, pairs & 0xFFFFFFFF
    named_weight = np.bincount(of_chunk, weights=weight[entity], minlength=len(community.chunks))
    # passages are of about one length, so that naming more counts more, though ever less
    order = np.lexsort((community.chunks, -np.sqrt(named_weight)))
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


def _measure_centrality(vectors: Vectors) -> NDArray[np.float64]:
    """Cosine of each passage to the mean of all; shape (chunks,)."""
    exact = vectors.astype(np.float64)
    mean = exact.mean(axis=0)
    return exact @ mean / max(float(np.linalg.norm(mean)), 1e-9)


@dataclass(frozen=True, slots=True)
class _Candidate:
    chunk: int
    document_id: str
    span: Span
    text: str
    terms: frozenset[str]
    score: float


def _choose_representatives(
    chunks: Sequence[Chunk], central: NDArray[np.float64], names: Sequence[str], limit: int
) -> Iterator[Representative]:
    candidates: list[_Candidate] = _find_candidates(chunks, central, names)
    taken: list[_Candidate] = []
    while candidates and len(taken) < limit:
        best = max(candidates, key=lambda one: (_rate_candidate(one, taken), -one.chunk, -one.span.start))
        taken.append(best)
        candidates = [one for one in candidates if one is not best and one.text != best.text]
        yield Representative(chunks[best.chunk], best.span, best.text, round(best.score, 4))


def _rate_candidate(candidate: _Candidate, taken: Sequence[_Candidate]) -> float:
    alike = max((_rate_likeness(candidate, other) for other in taken), default=0.0)
    return (1 - DIVERSITY) * candidate.score - DIVERSITY * alike


def _rate_likeness(one: _Candidate, other: _Candidate) -> float:
    if one.chunk == other.chunk:
        return 1.0
    shared = len(one.terms & other.terms) / max(1, min(len(one.terms), len(other.terms)))
    return max(shared, _SAME_DOCUMENT) if one.document_id == other.document_id else shared


def _find_candidates(chunks: Sequence[Chunk], central: NDArray[np.float64], names: Sequence[str]) -> list[_Candidate]:
    """Sentences that can stand alone, scored 0 to about 1; where none can, any that is a sentence."""
    spread = Counter(term for chunk in chunks for term in set(content_terms(chunk.text, ENGLISH)))
    telling = [name for name in (frozenset(content_terms(name, ENGLISH)) for name in names) if name]
    alone: list[_Candidate] = []
    others: list[_Candidate] = []
    telling_alone: list[_Candidate] = []
    for number, chunk in enumerate(chunks):
        opening = True
        for span in _quotable_sentences(chunk):
            text = span.of(chunk.text)
            words = " ".join(text.split())
            if is_fragment(words):
                continue
            terms = content_terms(words, ENGLISH)
            if not terms or words.endswith("?") or _SMALL_TALK.search(words):
                continue
            common = float(np.mean([spread[term] for term in set(terms)])) / len(chunks)
            named = sum(name <= set(terms) for name in telling) / max(1, len(telling))
            score = 0.4 * float(central[number]) + 0.3 * min(1.0, 2 * common) + 0.3 * min(1.0, 2 * named)
            score += _SUBJECT * any(name <= set(terms[: len(name) + 1]) for name in telling)
            score -= _IN_TALK * (_ADDRESS.search(words) is not None)
            score += _OPENING * (opening and chunk.index == 0)
            opening = False
            place = span.shift(chunk.span.start)
            candidate = _Candidate(number, chunk.document_id, place, text, frozenset(terms), score)
            stands_alone = _stands_alone(words)
            (alone if stands_alone else others).append(candidate)
            if stands_alone and named:
                telling_alone.append(candidate)
    return telling_alone or alone or others


def _stands_alone(words: str) -> bool:
    fits = FEWEST_WORDS <= words.count(" ") + 1 <= MOST_WORDS
    is_whole = _WHOLE.match(words) is not None and _BREAKS_OFF.search(words) is None
    return fits and is_whole and not leans_on_previous(words) and not _HANGS.match(words)


def _quotable_sentences(chunk: Chunk) -> Iterator[Span]:
    """Sentences of a passage that hold no instruction to a model, without the name of who speaks."""
    orders = instruction_spans(chunk.text)
    for span in split_sentences(chunk.text):
        speaker = _SPEAKER.match(chunk.text, span.start, span.end)
        said = Span(speaker.end(), span.end) if speaker else span
        if not any(said.overlap(order) for order in orders):
            yield said


def with_themes(
    communities: Communities,
    snapshot: Snapshot,
    vectors: Callable[[Sequence[str]], Vectors],
    visible: Mask | None = None,
) -> Communities:
    """``communities`` with their themes as level 0 and themselves from level 1 on.

    ``vectors`` gives one row for each chunk id. One that joins nothing is a theme of its own.
    """
    coarsest = [place for place, community in enumerate(communities.all) if community.level == 0]
    if not coarsest:
        return communities
    compared = coarsest[:MOST]
    several = [communities.all[place] for place in compared]
    groups = _group_alike(_mean_vectors(several, snapshot, vectors), [len(community.chunks) for community in several])
    groups += [[place] for place in range(len(compared), len(coarsest))]
    telling = Telling(snapshot, visible, len(groups))
    themes = [_join_communities([communities.all[coarsest[i]] for i in group], snapshot, telling) for group in groups]
    order = sorted(range(len(themes)), key=lambda i: (-len(themes[i].chunks), int(themes[i].chunks[0])))
    theme_of = {coarsest[i]: rank for rank, number in enumerate(order) for i in groups[number]}
    below = tuple(
        replace(
            community,
            level=community.level + 1,
            parent=theme_of[place] if community.parent is None else community.parent + len(themes),
        )
        for place, community in enumerate(communities.all)
    )
    return replace(communities, all=(*(themes[number] for number in order), *below))


def _mean_vectors(
    communities: Sequence[Community], snapshot: Snapshot, vectors: Callable[[Sequence[str]], Vectors]
) -> Vectors:
    """The mean of the unit vectors of passages spread over each; one request for all of them."""
    sampled = [_sample_chunks(community.chunks) for community in communities]
    rows = vectors([str(snapshot.chunk_ids[chunk]) for chunks in sampled for chunk in chunks.tolist()])
    ends = np.cumsum([len(chunks) for chunks in sampled])
    return np.stack([part.mean(axis=0) for part in np.split(rows, ends[:-1])])


def _sample_chunks(chunks: Indices) -> Indices:
    if len(chunks) <= SAMPLED:
        return chunks
    return chunks[np.linspace(0, len(chunks) - 1, SAMPLED).astype(np.int64)]


def _group_alike(means: Vectors, sizes: Sequence[int]) -> list[list[int]]:
    """Groups of places whose means lie near each other, for how near passages of one community lie to its own mean."""
    count = len(means)
    lengths = np.linalg.norm(means, axis=1)  # the mean cosine of unit vectors to their mean
    several = np.array(sizes) > 1
    held = float(lengths[several].mean()) if several.any() else 1.0
    units = means / np.maximum(lengths, 1e-9)[:, None]
    nearness = units @ units.T
    np.fill_diagonal(nearness, -1.0)
    edges: dict[tuple[str, str], float] = {}
    for place in range(count):
        for other in np.argsort(-nearness[place], kind="stable")[: min(NEAREST, count - 1)].tolist():
            nearer = float(nearness[place, other]) - NEAR * held
            if nearer > 0:
                edges[str(min(place, other)), str(max(place, other))] = nearer
    if not edges:
        return [[place] for place in range(count)]
    native = cast(Any, graspologic_native)  # it has no type stubs
    weighted = [(one, other, weight) for (one, other), weight in sorted(edges.items())]
    found = cast(tuple[float, dict[str, int]], native.leiden(weighted, seed=SEED, iterations=ITERATIONS))[1]
    groups: dict[int, list[int]] = {}
    for place in range(count):
        groups.setdefault(found.get(str(place), -1 - place), []).append(place)
    return list(groups.values())


def _join_communities(parts: Sequence[Community], snapshot: Snapshot, telling: Telling) -> Community:
    chunks = np.unique(np.concatenate([part.chunks for part in parts]))
    entities = np.unique(np.concatenate([part.entities for part in parts]))
    return Community(
        level=0,
        parent=None,
        chunks=chunks,
        documents=np.unique(snapshot.chunk_document[chunks]),
        is_divided=True,
        **telling.rank_entities(entities, chunks),
    )
