"""The port of the conversation store, and what it hands back.

A turn is a question with its answer. It is on record before the work begins, so that a process that dies leaves a
trace, and belongs to the history once it is finished. Every adapter passes
``tests/contract/test_conversation_store.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from ascertain.core.errors import UsageError
from ascertain.core.requests import ConversationLabel, ConversationSummary, StoredTurn, Turn, TurnRecord

MAX_ID_BYTES = 1024
"""Longest id of a conversation or a turn, as UTF-8."""

KEPT_TURNS = 50
"""Latest turns of a conversation kept with citations and decisions; older ones keep their text, which is all that a
follow-up needs (by judgement)."""
PROCESS_ENDED = "the process ended before the answer was there"
"""Reason of an interrupted turn."""


class ConversationStore(Protocol):
    """What was asked and answered, by tenant and conversation; neither sees anything of another.

    Ids are free text, exact to the character. Every method raises UsageError for one that is empty or longer than
    MAX_ID_BYTES, and StoreError with the remedy when the store cannot be used. Every change is durable when its method
    returns and is made in one short transaction, also while another process ingests. Turns are in the order in which
    they were begun. Safe to use from several threads.
    """

    def begin(
        self, conversation_id: str, turn_id: str, question: str, asked_at: datetime, tenant: str = "default"
    ) -> None:
        """Record a turn as running, before any work.

        A turn of this id that is finished, or running in a living process, stays as it is: a client asked again. One
        that failed or was interrupted starts anew, as the latest. Running turns of the conversation whose process has
        ended become interrupted.
        """
        ...

    def finish(self, conversation_id: str, turn_id: str, answer: StoredTurn, tenant: str = "default") -> None:
        """Record the answer; the first one given for a turn stays.

        Whole answers are kept of the latest turns of a conversation only, so this may prune an older one. Raises
        StoreError when the turn is not on record: its conversation was deleted meanwhile, and stays deleted.
        """
        ...

    def fail(self, conversation_id: str, turn_id: str, reason: str, tenant: str = "default") -> None:
        """Record that a turn came to nothing; a finished or unknown one is left alone."""
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
        """Call a conversation so from now on; one that does not exist is not called anything."""
        ...

    def claim(self, conversation_id: str, owner: str, tenant: str = "default") -> ConversationLabel:
        """What stands of a conversation; one that is not there is ``owner``'s from now on, before its first turn."""
        ...

    def labels(self, tenant: str = "default") -> dict[str, ConversationLabel]:
        """What stands of the conversations of a tenant, by id, beside their turns."""
        ...

    def find_label(self, conversation_id: str, tenant: str = "default") -> ConversationLabel:
        """What stands of one conversation; of one that is not there, the label without anything on it."""
        ...

    def tenants(self) -> list[str]:
        """Everyone who has a conversation, in order of name."""
        ...

    def take_back(self, conversation_id: str, turn_id: str, tenant: str = "default") -> list[str]:
        """Forget a turn and those begun after it; their ids, none where there is no such turn."""
        ...

    def delete(self, conversation_id: str, tenant: str = "default") -> int:
        """Forget a conversation; how many turns it had. Documents fetched for it are the chunk store's to delete."""
        ...

    def close(self) -> None:
        """Release files; further calls raise StoreError. Turns still running count as interrupted from now on."""
        ...


def check_ids(names: Sequence[tuple[str, str]]) -> None:
    """Raise UsageError for an id, given as (what it names, the id), that no store accepts."""
    for what, value in names:
        size = len(value.encode("utf-8", "surrogatepass"))
        if size == 0:
            raise UsageError(f"the id of a {what} must not be empty")
        if size > MAX_ID_BYTES:
            raise UsageError(f"the id of a {what} has {size:,} bytes; give one of at most {MAX_ID_BYTES:,}")
