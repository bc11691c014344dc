"""Typed relations by a chat model, over what the rules read; the rules alone if the model fails or the budget is used up.

A model is held to the text: a relation counts only when both its names stand in the sentences that it was shown.
"""

import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, Field

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.graph.nouns import AliasClaim, DocumentGraph, Mention, Name, Relation
from ascertain.core.settings import ChatSettings, GraphSettings
from ascertain.core.settings.profiles import Profile
from ascertain.graph.extraction.aliases import ALSO_KNOWN_AS, FIRST_NAME, LAST_NAME
from ascertain.graph.extraction.ports import ExtractionEstimate, estimate_calls, most_a_call_costs
from ascertain.graph.extraction.rules import RULES, ProfileOf, RuleExtractor
from ascertain.graph.extraction.words import read_chunk, speakers_of
from ascertain.graph.keys import key_of
from ascertain.language.tokens import STOP_WORDS, fold_words
from ascertain.models.ports import Chat
from ascertain.models.prompts import Prompts, as_data

CHARACTERS_A_CALL = 4000
"""About 1,000 tokens; with more, models leave out relations of the middle, and replies of 2,000 tokens get full."""
MOST_WORDS = 12
"""Words of a name or a predicate; longer ones are clauses."""
_SPACE = re.compile(r"\s+")
_logger = logging.getLogger("ascertain.graph")
PROMPT = "extract_graph"
SILENT_REPLIES = 3
"""Replies in a row with nothing that can be used, from sentences in which the rules find names, before it is logged
as a warning: a model that is too small never says anything, a good one rarely fails to.
"""
FAILED_DOCUMENTS = 3
"""Failures in a row after which the model is paused: one with unusable replies would cost two calls each time."""
REST_SECONDS = 60.0
_CALL_SECONDS = 3600.0
"""More than any call may take (models.chat.timeout_seconds)."""
_ANY_TOKENS = 2**40
"""Calls and dollars are what limits here."""
_SILENCE = (
    f"the chat model found no relation in {SILENT_REPLIES} replies in a row although the text has names: it may be too "
    "small for the task, or its replies name things that the text does not; set another one (models.chat, extract) "
    "or graph.extractor = 'rules'"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence: where it stands in the document, and its words without breaks of lines."""

    chunk: Chunk
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Batch:
    """What one call reads; sentence ``n`` is ``lines[n - 1]``."""

    lines: tuple[Line, ...]

    @property
    def sentences(self) -> str:
        """All sentences with their numbers, a line each."""
        return "\n".join(f"[{number}] {line.text}" for number, line in enumerate(self.lines, 1))


def batch_sentences(chunks: Sequence[Chunk]) -> Iterator[Batch]:
    """The sentences of a document in order; what chunks share is read once."""
    lines: list[Line] = []
    characters = 0
    for line in _read_lines(chunks):
        if lines and characters + len(line.text) > CHARACTERS_A_CALL:
            yield Batch(tuple(lines))
            lines, characters = [], 0
        lines.append(line)
        characters += len(line.text)
    if lines:
        yield Batch(tuple(lines))


def _read_lines(chunks: Sequence[Chunk]) -> Iterator[Line]:
    speakers = speakers_of(chunks)
    read = 0
    for chunk in chunks:
        for sentence in read_chunk(chunk, speakers).sentences:
            span = sentence.span.shift(chunk.span.start)
            if span.end > read:
                yield Line(chunk, span, " ".join(sentence.span.of(chunk.text).split()))
                read = span.end


class RelationReply(BaseModel):
    """One relation that a sentence states."""

    sentence: int = Field(description="The number of the sentence.")
    subject: str = Field(description="A name as the text writes it.")
    subject_kind: str = Field(default="", description="One of the kinds, or empty.")
    predicate: str = Field(description="A short verb phrase in lower case.")
    object: str = Field(description="A name as the text writes it.")
    object_kind: str = Field(default="", description="One of the kinds, or empty.")


class OtherNameReply(BaseModel):
    """Two names that the text gives to one thing."""

    sentence: int = Field(description="The number of the sentence.")
    name: str
    other_name: str


class GraphReply(BaseModel):
    """The relations that the sentences state."""

    relations: list[RelationReply] = Field(default=[])
    other_names: list[OtherNameReply] = Field(default=[])


@dataclass
class Read:
    """The rest of a reply; ``kinds`` by key."""

    mentions: list[Mention] = field(default_factory=list[Mention])
    relations: list[Relation] = field(default_factory=list[Relation])
    aliases: list[AliasClaim] = field(default_factory=list[AliasClaim])
    kinds: dict[str, str] = field(default_factory=dict[str, str])


def read_reply(reply: GraphReply, batch: Batch, profile: Profile | None, full: Mapping[str, str]) -> Read:
    """The statements of ``reply`` that the sentences of ``batch`` support: both names occur in them.

    ``full`` gives the full names of short ones, by keys. Kinds that the profile does not know are left out.
    """
    read = Read()
    kinds = {fold_words(kind): kind for kind in profile.entity_types} if profile else {}
    for one in reply.relations:
        line = _find_line(batch, one.sentence)
        subject, other = _find_mention(one.subject, line, batch), _find_mention(one.object, line, batch)
        predicate = _clean_predicate(one.predicate)
        if line is None or subject is None or other is None or not predicate:
            continue
        left, right = (full.get(place.name.key, place.name.key) for place in (subject, other))
        if left == right:
            continue
        read.relations.append(Relation(left, predicate, right, line.chunk.id, line.span, "model"))
        for mention, key, kind in ((subject, left, one.subject_kind), (other, right, one.object_kind)):
            known = kinds.get(fold_words(kind.strip()), "")
            if known:
                read.kinds.setdefault(key, known)
            read.mentions.append(
                Mention(Name(key, mention.name.written, known), mention.chunk_id, mention.span, mention.sentence)
            )
    for other in reply.other_names:
        line = _find_line(batch, other.sentence)
        name, alias = _find_mention(other.name, line, batch), _find_mention(other.other_name, line, batch)
        if line is not None and name and alias and name.name.key != alias.name.key:
            read.aliases.append(AliasClaim(alias.name.key, name.name.key, line.chunk.id, line.span, ALSO_KNOWN_AS))
            read.mentions += [name, alias]
    return read


def _find_line(batch: Batch, number: int) -> Line | None:
    return batch.lines[number - 1] if 1 <= number <= len(batch.lines) else None


def _find_mention(name: str, line: Line | None, batch: Batch) -> Mention | None:
    """Where the text says ``name``: in ``line``, else in the sentence nearest before it, else nowhere."""
    name = _SPACE.sub(" ", name).strip()
    key = key_of(name)
    if line is None or not key or len(name.split()) > MOST_WORDS or not any(map(str.isalpha, key)):
        return None
    if fold_words(name) in STOP_WORDS:
        return None
    place = batch.lines.index(line)
    for each in (line, *reversed(batch.lines[:place])):
        span = _find_place(name, each)
        if span is not None:
            written = _SPACE.sub(" ", span.shift(-each.chunk.span.start).of(each.chunk.text))
            return Mention(Name(key, written), each.chunk.id, span, each.span)
    return None


def _find_place(name: str, line: Line) -> Span | None:
    """Where ``line`` has ``name``, in the document: whole words, whatever their case and the spaces between them."""
    pattern = r"\s+".join(re.escape(word) for word in name.split())
    text = line.span.shift(-line.chunk.span.start).of(line.chunk.text)
    match = re.search(rf"(?<!\w){pattern}(?!\w)", text, re.I)
    return Span(*match.span()).shift(line.span.start) if match else None


def _clean_predicate(text: str) -> str:
    words = _SPACE.sub(" ", text.replace("_", " ")).strip(" .,:;\"'").lower()
    return words if any(map(str.isalpha, words)) and len(words.split()) <= MOST_WORDS else ""


class ModelExtractor:
    """Asks the model about each document, some thousand characters a call.

    The budget (``graph.model_calls``, ``graph.model_budget_usd``) is for everything that this object reads. Threads
    take turns.
    """

    def __init__(
        self,
        chat: Chat,
        prompts: Prompts,
        settings: GraphSettings,
        *,
        profile_of: ProfileOf | None = None,
        prices: ChatSettings | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``prices`` are for ``estimate``; without them it names no dollars."""
        self._chat = chat
        self._prompts = prompts
        self._settings = settings
        self._profile_of = profile_of
        self._prices = prices
        self._clock = clock
        self._rules = RuleExtractor(profile_of)
        self._turn = threading.Lock()
        self._calls = 0
        self._dollars = 0.0
        self._silent = 0
        self._said_silent = False
        self._failed = 0
        self._rests_until = 0.0
        self._by_rules: dict[str, int] = {}

    @property
    def name(self) -> str:
        """Identifies its results. A document that the rules had to read has their name in its version, so
        that it is read again when the graph is next built.
        """
        return f"model-1-{RULES}"

    @property
    def notes(self) -> tuple[str, ...]:
        """The problems so far, a line each: documents read by rules instead, and a model that says nothing."""
        with self._turn:
            lines = [
                f"{count:,} document{'' if count == 1 else 's'} read by rules instead: {reason}"
                for reason, count in self._by_rules.items()
            ]
            return (*lines, *((_SILENCE,) if self._said_silent else ()))

    def estimate(self, documents: Iterable[Sequence[Chunk]]) -> ExtractionEstimate:
        """See ``CostlyExtractor.estimate``."""
        return estimate_calls(
            (batch.sentences for chunks in documents for batch in batch_sentences(chunks)),
            self._prompts.messages(PROMPT, kinds="", title="", sentences=""),
            self._prices,
        )

    def extract(self, documents: Iterable[tuple[str, Sequence[Chunk]]]) -> Iterator[DocumentGraph]:
        """One graph for each document, in order, lazily. Raises nothing for what a model says, costs or fails at."""
        for content_hash, chunks in documents:
            by_rules = self._rules.read(content_hash, chunks)
            with self._turn:
                read = self._read_document(content_hash, chunks, by_rules)
            yield read

    def _read_document(self, content_hash: str, chunks: Sequence[Chunk], by_rules: DocumentGraph) -> DocumentGraph:
        if self._clock() < self._rests_until:
            return self._left_to_rules(by_rules, f"the model failed {FAILED_DOCUMENTS} times in a row")
        profile = self._profile_of(chunks[0].profile) if self._profile_of else None
        full = {claim.alias: claim.key for claim in by_rules.aliases if claim.reason in {LAST_NAME, FIRST_NAME}}
        found: list[Read] = []
        try:
            for batch in batch_sentences(chunks):
                found.append(read_reply(self._ask_model(batch, chunks[0].title, profile), batch, profile, full))
                self._warn_if_silent(found[-1], batch, by_rules)
        except BudgetExceeded:
            spent = f"{self._calls:,} calls, {self._dollars:.2f} US dollars"
            return self._left_to_rules(
                by_rules, f"the budget is used up after {spent} (graph.model_calls, graph.model_budget_usd)"
            )
        except ModelError as error:
            self._failed += 1
            if self._failed >= FAILED_DOCUMENTS:
                self._rests_until = self._clock() + REST_SECONDS
            return self._left_to_rules(by_rules, str(error))
        self._failed = 0
        return replace(_join_readings(by_rules, found), version=f"{content_hash}:{self.name}")

    def _ask_model(self, batch: Batch, title: str, profile: Profile | None) -> GraphReply:
        """What the model says of ``batch``; raises BudgetExceeded before a call that is not allowed, and ModelError."""
        calls = max(0, self._settings.model_calls - self._calls)
        dollars = max(0.0, self._settings.model_budget_usd - self._dollars)
        run = Run(Budget(calls, _ANY_TOKENS, _CALL_SECONDS, dollars))
        messages = self._prompts.messages(
            PROMPT,
            kinds=", ".join(profile.entity_types) if profile and profile.entity_types else "none",
            title=as_data(title, "title"),
            sentences=as_data(batch.sentences, "sentences"),
        )
        if (most_a_call_costs(messages, self._prices) or 0.0) > dollars:
            raise BudgetExceeded("the next call could cost more than is left")
        try:
            run.allow(Task.EXTRACT)
            return self._chat.ask(Task.EXTRACT, messages, GraphReply, run)
        finally:
            self._calls += run.usage.calls
            self._dollars += run.usage.cost_usd

    def _left_to_rules(self, by_rules: DocumentGraph, reason: str) -> DocumentGraph:
        if reason not in self._by_rules:
            _logger.warning("a document is read by rules, not by the chat model: %s", reason)
        self._by_rules[reason] = self._by_rules.get(reason, 0) + 1
        return by_rules

    def _warn_if_silent(self, read: Read, batch: Batch, by_rules: DocumentGraph) -> None:
        """Log a warning when the model repeatedly finds nothing where there are names."""
        if read.relations:
            self._silent = 0
            return
        ids = {line.chunk.id for line in batch.lines}
        if len({mention.name.key for mention in by_rules.mentions if mention.chunk_id in ids}) > 1:
            self._silent += 1
        if self._silent >= SILENT_REPLIES and not self._said_silent:
            self._said_silent = True
            _logger.warning(_SILENCE)


def _join_readings(by_rules: DocumentGraph, found: Sequence[Read]) -> DocumentGraph:
    """What the rules and the model say; relations by pattern only where the model has none."""
    kinds = {key: kind for read in reversed(found) for key, kind in read.kinds.items()}
    mentions = dict.fromkeys(
        _of_kind(mention, kinds)
        for mention in (*by_rules.mentions, *(each for read in found for each in read.mentions))
    )
    relations = dict.fromkeys(relation for read in found for relation in read.relations)
    aliases = dict.fromkeys((*by_rules.aliases, *(alias for read in found for alias in read.aliases)))
    return replace(
        by_rules, mentions=tuple(mentions), relations=tuple(relations) or by_rules.relations, aliases=tuple(aliases)
    )


def _of_kind(mention: Mention, kinds: dict[str, str]) -> Mention:
    kind = kinds.get(mention.name.key)
    return mention if kind is None else replace(mention, name=replace(mention.name, kind=kind))
