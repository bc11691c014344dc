"""The answer cache: an answer is given again to the same question while its documents are the same (OP-3).

Checked and cited answers are stored; not rejections or greetings, nor answers from outside sources, nor answers
made with a part missing: a model did not answer, a budget ran out. ``normalise_question`` says when two
questions are the same, ``scope_of`` what else must be equal. Before an answer is reused, its quotes are
compared with the stored text.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ascertain.core.asking.answers import Answer, AnswerType, Citation, Decision, Usage
from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.settings import Settings
from ascertain.language.languages import question_language
from ascertain.language.tokens import STOP_WORDS
from ascertain.language.word_lists import load_alternatives
from ascertain.questions.intent import without_greeting
from ascertain.questions.timeframe import find_timeframe
from ascertain.stores.ports.service import CachedAnswer

if TYPE_CHECKING:
    from ascertain.app.container.container import Container
    from ascertain.app.wire.shape import JsonObject
    from ascertain.core.asking.requests import AskRequest
    from ascertain.stores.ports.chunks import CompleteStore


_LEFT_OUT = {"home", "store", "ingest", "cache", "server", "telemetry"}
"""Settings that do not change answers: where things are stored, how they got there and who is notified."""
_OWN_FOLDERS = ("profiles", "prompts")
_RELATIVE = re.compile(rf"\b(?:{load_alternatives('moving_time', 'words')})\b", re.IGNORECASE)
"""Words whose meaning may move with the calendar; one too many only recomputes an answer on another day."""


def scope_of(request: AskRequest, settings: Settings, now: datetime, reach: Filter) -> str:
    """A digest of all that an answer depends on beside the words of its question and the documents; ``reach`` is what it
    may see.
    """
    parts = {
        "settings": settings.model_dump(mode="json", exclude=_LEFT_OUT),
        "own": [list(each) for each in _own_files(settings.home)],
        "filter": repr(reach),
        "asked": [request.mode, request.strategy, request.days_back, request.time_range],
        "most": [request.max_articles, request.max_chunks],
        "history": [[turn.role, turn.text] for turn in request.history],
        "time": _time_asked_about(request, settings, now),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def reach_of(request: AskRequest, store: CompleteStore) -> Filter:
    """What a question may see; a conversation without fetched documents sees what all see, and shares
    their answers.
    """
    filter, conversation = request.filter, request.conversation_id
    if conversation is None or filter.within != (OWN, conversation):
        return filter
    if store.documents(Filter(conversation_id=conversation, tenant=filter.tenant)):
        return filter
    return replace(filter, within=(OWN,))


def _time_asked_about(request: AskRequest, settings: Settings, now: datetime) -> list[str]:
    """The stretches of time that the words mean now, and the day where it may matter; empty for a timeless
    question.
    """
    texts = [request.question, *(turn.text for turn in request.history if turn.role == "user")]
    frames = [frame for text in texts if (frame := find_timeframe(text, question_language(text), now))]
    stretches = [f"{frame.start.isoformat()} {frame.end.isoformat()}" for frame in frames]
    moves = request.days_back is not None or settings.retrieval.rerank == "heuristic"
    if moves or any(_RELATIVE.search(text) for text in texts):
        stretches.append(now.date().isoformat())
    return stretches


def _own_files(home: Path) -> Iterator[tuple[str, int, int]]:
    """Profiles and prompts that the user wrote, as they are now."""
    for folder in _OWN_FOLDERS:
        files = (home / folder).glob("*") if (home / folder).is_dir() else ()
        for file in sorted(files):
            status = file.stat()
            yield f"{folder}/{file.name}", status.st_mtime_ns, status.st_size


_any_of = partial(load_alternatives, "wording")
"""A list of words as alternatives of a regular expression."""

_BEFORE = re.compile(
    rf"^(?:(?:{_any_of('interjections')})[,!.]\s+|please,?\s+|(?:{_any_of('openings')}),?\s+(?=(?:{_any_of('question_words')})\b))+",
    re.IGNORECASE,
)
_AFTER = re.compile(rf"[,.!?]\s*(?:{_any_of('closings')})[\s.!?]*$", re.IGNORECASE)
_EDGES = ".,;:!?…()[]"
_CONTRACTIONS = (
    (re.compile(r"\b(can)(?:'t|not)\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"\b(\w+)n't\b", re.IGNORECASE), r"\1 not"),
    (re.compile(rf"\b({_any_of('before_is')})'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(rf"\b({_any_of('before_are')})'re\b", re.IGNORECASE), r"\1 are"),
)


def normalise_question(question: str) -> str:
    """``question`` as it is compared; empty when there is nothing to compare.

    Left out are spacing, closing punctuation, the case of the first letter, contractions, articles after a function
    word, and words of politeness. Every other word counts, in its place: a question gets another one's answer only
    where no one could tell them apart.
    """
    text = unicodedata.normalize("NFC", question).replace("’", "'")
    text = _AFTER.sub("", _BEFORE.sub("", without_greeting(text.strip())))
    for pattern, written_out in _CONTRACTIONS:
        text = pattern.sub(written_out, text)
    words = [word for token in text.split() if (word := token.strip(_EDGES))]
    if not words:
        return ""
    words[0] = _as_inside(words[0])
    kept = [word for index, word in enumerate(words) if not _is_mere_article(words, index)]
    return " ".join(kept)


def _as_inside(word: str) -> str:
    """The first word as it would stand inside a sentence: ``What`` is ``what``, ``IBM`` and ``iPhone`` stay."""
    return word.lower() if word[1:].islower() or len(word) == 1 else word


def _is_mere_article(words: list[str], index: int) -> bool:
    """Whether a word is an article before a plain word: not the letter of ``plan a``, nor part of a name such
    as The Who.
    """
    if words[index] not in {"a", "an", "the"} or index + 1 == len(words):
        return False
    is_after_function_word = index == 0 or words[index - 1].lower() in STOP_WORDS
    following = words[index + 1]
    return is_after_function_word and following.isalpha() and len(following) > 1 and following not in STOP_WORDS


NODE = "cache"
SAME_QUESTION = 0.97
"""Cosine that two questions with the same words must reach to get one answer: questions that differ in an article or in politeness
are above it with the built-in model, and other questions have other words (tests/unit/app/asking/test_answer_cache.py).
"""
MOST_ANSWERS = 5000
"""Stored per tenant; the oldest are deleted first (by judgement, not measured)."""
_KEPT_TYPES = frozenset({AnswerType.SUMMARY, AnswerType.FOLLOWUP_ANSWER, AnswerType.ANALYSIS, AnswerType.REPORT})
_OUTSIDE = "web"
"""The step that searches outside; what it finds is seen by one conversation only."""


@dataclass(frozen=True, slots=True)
class CacheKey:
    """Where an answer is stored: ``reach`` is what the question may see, ``corpus`` the fingerprint of that, and of
    the vectors, when it was asked.
    """

    scope: str
    words: str
    reach: Filter
    corpus: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """An answer as if it had just been given, and what was stored with it."""

    answer: Answer
    question: Mapping[str, object]


class RememberedAnswers:
    """The answers of one tenant that may be given again."""

    def __init__(self, container: Container, tenant: str) -> None:
        self._container = container
        self._tenant = tenant
        self._settings = container.settings.cache

    def key(self, request: AskRequest) -> CacheKey | None:
        """Where the answer to ``request`` belongs; None if it is not cached."""
        if not self._settings.answers or request.mode != "documents":
            return None
        words = normalise_question(request.question)
        if not words:
            return None
        reach = reach_of(request, self._container.store())
        scope = scope_of(request, self._container.settings, self._container.clock.now(), reach)
        return CacheKey(scope, words, reach, self._fingerprint(reach))

    def recall(self, key: CacheKey, request: AskRequest) -> Recalled | None:
        """The answer stored for ``key``, if it is still valid, as the answer to ``request``."""
        kept = self._container.service.answers.get(key.scope, key.words, self._tenant)
        if kept is None or kept.corpus != key.corpus or self._is_too_old(kept):
            return None
        answer = Answer.from_json(kept.answer)
        likeness = self._compare_questions(answer.question, request.question)
        if likeness < SAME_QUESTION or not self.still_stand(answer.citations):
            return None
        decision = Decision(
            NODE,
            "given again",
            f"the same question was answered on {kept.stored_at:%Y-%m-%d %H:%M} from the same documents",
            {"similarity": likeness},
        )
        again = replace(
            answer,
            question=request.question,
            id=request.answer_id,
            conversation_id=request.conversation_id,
            decisions=(decision, *answer.decisions),
            usage=Usage(),
            is_cached=True,
        )
        return Recalled(again, dict(kept.answer))

    def keep(self, key: CacheKey, answer: Answer, question: JsonObject) -> None:
        """Store an answer that may be reused, with the features of its question."""
        if not is_worth_keeping(answer) or self._fingerprint(key.reach) != key.corpus:
            return
        now = self._container.clock.now()
        shape = {**answer.to_json(), **question}
        cached = CachedAnswer(key.scope, key.words, key.corpus, shape, now, self._tenant)
        self._container.service.answers.put(cached, MOST_ANSWERS)

    def _fingerprint(self, reach: Filter) -> str:
        """Of the documents within ``reach``, and of the model that finds them: another process may change both while this one runs."""
        model = self._container.searched_model()
        return f"{self._container.store().fingerprint(reach)} {model}"

    def _is_too_old(self, kept: CachedAnswer) -> bool:
        return self._container.clock.now() - kept.stored_at >= timedelta(hours=self._settings.hours)

    def _compare_questions(self, one: str, other: str) -> float:
        """Cosine of two questions, greetings aside; 1 for equal ones, which costs nothing."""
        one, other = without_greeting(one), without_greeting(other)
        if one == other:
            return 1.0
        embedder = self._container.models.fitted_embedder
        return float(np.dot(embedder.embed_query(one), embedder.embed_query(other)))

    def still_stand(self, citations: Sequence[Citation]) -> bool:
        """Whether the stored documents hold what is quoted, to the letter."""
        store = self._container.store()
        documents = {name: store.document(name) for name in {each.document_id for each in citations}}
        return all(
            (document := documents[citation.document_id]) is not None
            and document.tenant == self._tenant
            and citation.span.of(document.text) == citation.quote
            for citation in citations
        )


def is_worth_keeping(answer: Answer) -> bool:
    """Whether an answer is as good as a new one would be."""
    return (
        answer.type in _KEPT_TYPES
        and bool(answer.citations)
        and not answer.is_cached
        and not _has_parts_missing(answer.decisions)
    )


def _has_parts_missing(decisions: Iterable[Decision]) -> bool:
    return any(decision.node == _OUTSIDE or decision.outcome.startswith("fell back") for decision in decisions)
