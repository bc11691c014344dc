"""The port of the conversation store, and its results.

A turn is a question with its answer. It is stored before the work begins, so that a process that dies leaves a
trace, and belongs to the history once it is finished. Every adapter passes
``tests/contract/test_conversation_store.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from ascertain.core.asking.requests import ConversationLabel, ConversationSummary, StoredTurn, Turn, TurnRecord
from ascertain.core.errors import UsageError

MAX_ID_BYTES = 1024
"""Longest id of a conversation or a turn, as UTF-8."""

KEPT_TURNS = 50
"""Latest turns of a conversation stored with citations and decisions; older ones keep their text, which is all that a
follow-up needs (by judgement)."""
PROCESS_ENDED = "the process ended before the answer was there"
"""Reason of an interrupted turn."""


class ConversationStore(Protocol):
    """Questions and answers, by tenant and conversation, each isolated from the others.

    Ids are free text, exact to the character. Every method raises UsageError for one that is empty or longer than
    MAX_ID_BYTES, and StoreError with the remedy when the store cannot be used. Every change is durable when its method
    returns and is made in one short transaction, also while another process ingests. Turns are in the order in which
    they were begun. Safe to use from several threads.
    """

    def begin(
        self, conversation_id: str, turn_id: str, question: str, asked_at: datetime, tenant: str = "default"
    ) -> None:
        """Record a turn as running, before any work.

        A turn with this id that is finished, or running in a living process, stays as it is: a client retried. One
        that failed or was interrupted restarts, as the latest. Running turns of the conversation whose process has
        ended become interrupted.
        """
        ...

    def finish(self, conversation_id: str, turn_id: str, answer: StoredTurn, tenant: str = "default") -> None:
        """Record the answer; the first one given for a turn stays.

        Whole answers are stored only for the latest turns of a conversation, so this may prune an older one. Raises
        StoreError when the turn is not stored: its conversation was deleted meanwhile, and stays deleted.
        """
        ...

    def fail(self, conversation_id: str, turn_id: str, reason: str, tenant: str = "default") -> None:
        """Record that a turn has no answer; a finished or unknown one is left alone."""
        ...

    def history(self, conversation_id: str, tenant: str = "default", limit: int | None = None) -> list[Turn]:
        """The messages of the last ``limit`` finished turns (None: all), oldest first, question before answer."""
        ...

    def turns(self, conversation_id: str, tenant: str = "default") -> list[TurnRecord]:
        """Every turn in every state, oldest first."""
        ...

    def conversations(self, tenant: str = "default") -> list[ConversationSummary]:
        """All conversations of a tenant, the last used first."""
        ...

    def label(self, conversation_id: str, label: ConversationLabel, tenant: str = "default") -> None:
        """Rename a conversation; an unknown one is left alone."""
        ...

    def claim(self, conversation_id: str, owner: str, tenant: str = "default") -> ConversationLabel:
        """The label of a conversation; a new one belongs to ``owner`` from now on, before its first turn."""
        ...

    def labels(self, tenant: str = "default") -> dict[str, ConversationLabel]:
        """The labels of the conversations of a tenant, by id."""
        ...

    def find_label(self, conversation_id: str, tenant: str = "default") -> ConversationLabel:
        """The label of one conversation; an empty label for an unknown one."""
        ...

    def tenants(self) -> list[str]:
        """Everyone who has a conversation, in order of name."""
        ...

    def take_back(self, conversation_id: str, turn_id: str, tenant: str = "default") -> list[str]:
        """Delete a turn and those begun after it; their ids, empty for an unknown turn."""
        ...

    def delete(self, conversation_id: str, tenant: str = "default") -> int:
        """Delete a conversation; how many turns it had. Documents fetched for it are the chunk store's to delete."""
        ...

    def close(self) -> None:
        """Release files; further calls raise StoreError. Turns still running count as interrupted from now on."""
        ...


def check_ids(names: Sequence[tuple[str, str]]) -> None:
    """Raise UsageError for an id, given as (kind, id), that no store accepts."""
    for what, value in names:
        size = len(value.encode("utf-8", "surrogatepass"))
        if size == 0:
            raise UsageError(f"the id of a {what} must not be empty")
        if size > MAX_ID_BYTES:
            raise UsageError(f"the id of a {what} has {size:,} bytes; give one of at most {MAX_ID_BYTES:,}")
