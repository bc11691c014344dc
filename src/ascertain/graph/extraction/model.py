"""Typed relations by a chat model, over what the rules read; the rules alone where the model fails or the budget ends.

A model is held to the text: a relation counts only when both its names stand in the sentences that it was shown.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ascertain.core.chunks import Chunk
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.graph import DocumentGraph, Mention
from ascertain.core.runs import Budget, Run, Task
from ascertain.core.settings import ChatSettings, GraphSettings
from ascertain.core.settings.profiles import Profile
from ascertain.graph.extraction.estimate import ExtractionEstimate, estimated, most_a_call_costs
from ascertain.graph.extraction.model_batches import Batch, batches
from ascertain.graph.extraction.model_replies import GraphReply, Read, read_reply
from ascertain.graph.extraction.other_names import FIRST_NAME, LAST_NAME
from ascertain.graph.extraction.rules import RULES, ProfileOf, RuleExtractor
from ascertain.models.ports import Chat
from ascertain.models.prompts import Prompts, as_data

_logger = logging.getLogger("ascertain.graph")

PROMPT = "extract_graph"
SILENT_REPLIES = 3
"""Replies in a row with nothing that can be used, from sentences in which the rules find names, before it is said out loud: a model that is
too small says nothing for ever, a good one now and then."""
FAILED_DOCUMENTS = 3
"""Documents in a row that the model fails on before it is left alone for a while: a server that is down would cost its time limit for each."""
REST_SECONDS = 60.0
_CALL_SECONDS = 3600.0
"""Limit of one call with its retries; each try has its own (models.chat.timeout_seconds)."""
_ANY_TOKENS = 2**40
"""Calls and dollars are what limits here."""


class ModelExtractor:
    """Asks the model about each document, some thousand characters a call.

    The budget (``graph.model_calls``, ``graph.model_budget_usd``) is for everything that this object reads. Threads take turns.
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
        """What tells its results from others'. A document that the rules had to read has their name in its version, so that it is read
        again when the graph is next built.
        """
        return f"model-1-{RULES}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong so far, a line each: documents that the rules had to read, and why; a model that says nothing."""
        with self._turn:
            lines = [
                f"{count:,} document{'' if count == 1 else 's'} read by rules instead: {reason}"
                for reason, count in self._by_rules.items()
            ]
            return (*lines, *((_SILENCE,) if self._said_silent else ()))

    def estimate(self, documents: Iterable[Sequence[Chunk]]) -> ExtractionEstimate:
        """What reading these documents would take, each given by its chunks; asks no model."""
        return estimated(
            (batch.sentences for chunks in documents for batch in batches(chunks)),
            self._prompts.messages(PROMPT, kinds="", title="", sentences=""),
            self._prices,
        )

    def extract(self, documents: Iterable[tuple[str, Sequence[Chunk]]]) -> Iterator[DocumentGraph]:
        """One graph for each document, in order, lazily. Raises nothing for what a model says, costs or fails at."""
        for content_hash, chunks in documents:
            by_rules = self._rules.read(content_hash, chunks)
            with self._turn:
                read = self._read(content_hash, chunks, by_rules)
            yield read

    def _read(self, content_hash: str, chunks: Sequence[Chunk], by_rules: DocumentGraph) -> DocumentGraph:
        if self._clock() < self._rests_until:
            return self._left_to_rules(by_rules, f"the model failed {FAILED_DOCUMENTS} times in a row")
        profile = self._profile_of(chunks[0].profile) if self._profile_of else None
        full = {
            claim.alias: claim.key for claim in by_rules.aliases if claim.reason in {LAST_NAME, FIRST_NAME}
        }
        found: list[Read] = []
        try:
            for batch in batches(chunks):
                found.append(read_reply(self._reply(batch, chunks[0].title, profile), batch, profile, full))
                self._listen(found[-1], batch, by_rules)
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
        return replace(_joined(by_rules, found), version=f"{content_hash}:{self.name}")

    def _reply(self, batch: Batch, title: str, profile: Profile | None) -> GraphReply:
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

    def _listen(self, read: Read, batch: Batch, by_rules: DocumentGraph) -> None:
        """Say it out loud when the model has nothing to say again and again where there are names."""
        if read.relations:
            self._silent = 0
            return
        ids = {line.chunk.id for line in batch.lines}
        if len({mention.name.key for mention in by_rules.mentions if mention.chunk_id in ids}) > 1:
            self._silent += 1
        if self._silent >= SILENT_REPLIES and not self._said_silent:
            self._said_silent = True
            _logger.warning(_SILENCE)


_SILENCE = (
    f"the chat model found no relation in {SILENT_REPLIES} replies in a row although the text has names: it may be too small for the task, or its "
    "replies name things that the text does not; set another one (models.chat, extract) or graph.extractor = 'rules'"
)


def _joined(by_rules: DocumentGraph, found: Sequence[Read]) -> DocumentGraph:
    """What the rules and the model say; relations by pattern only where the model has none."""
    kinds: dict[str, str] = {}
    for read in found:
        for key, kind in read.kinds.items():
            kinds.setdefault(key, kind)
    mentions = dict.fromkeys(
        _of_kind(mention, kinds)
        for mention in (*by_rules.mentions, *(each for read in found for each in read.mentions))
    )
    relations = dict.fromkeys(relation for read in found for relation in read.relations)
    aliases = dict.fromkeys((*by_rules.aliases, *(alias for read in found for alias in read.aliases)))
    return replace(
        by_rules,
        mentions=tuple(mentions),
        relations=tuple(relations) or by_rules.relations,
        aliases=tuple(aliases),
    )


def _of_kind(mention: Mention, kinds: dict[str, str]) -> Mention:
    """The mention with the kind that the model gave its name."""
    kind = kinds.get(mention.name.key)
    return mention if kind is None else replace(mention, name=replace(mention.name, kind=kind))
