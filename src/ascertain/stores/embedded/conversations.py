"""Conversations in the record of an embedded home.

Writes are single short transactions that wait for other transactions only, never for the writer's lock of an ingest.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from ascertain.core.conversations import ConversationSummary, StoredTurn, Turn, TurnRecord
from ascertain.core.errors import StoreError
from ascertain.core.settings_store import StoreSettings
from ascertain.stores.conversations import check_ids
from ascertain.stores.embedded import faults, turns
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.layout import Layout, prepare
from ascertain.stores.embedded.migrations import bring_up
from ascertain.stores.embedded.presence import Presence


def open_embedded_conversations(
    settings: StoreSettings, home: Path, kept_turns: int
) -> EmbeddedConversations:
    """The conversations of the knowledge base in ``home``; StoreError when there is none or it cannot be used."""
    with faults.translated(home):
        layout = prepare(home, create=False)
        connections = Connections(layout.record, read_only=not layout.is_writable)
        try:
            bring_up(layout, connections)
        except BaseException:
            connections.close()
            raise
    return EmbeddedConversations(layout, connections, kept_turns)


class EmbeddedConversations:
    """A ``ConversationStore`` in one folder; made by ``open_embedded_conversations``."""

    def __init__(self, layout: Layout, connections: Connections, kept_turns: int) -> None:
        self._layout = layout
        self._connections = connections
        self._kept_turns = kept_turns
        self._presence = Presence(layout.running)

    def begin(
        self, conversation_id: str, turn_id: str, question: str, asked_at: datetime, tenant: str = "default"
    ) -> None:
        """Record a turn as running."""
        key = _turn(tenant, conversation_id, turn_id)
        with self._using() as connections:
            if connections.read_only:
                raise StoreError(f"{self._layout.home} is read-only: conversations cannot be kept there")
            me = self._presence.announce()
            with connections.write() as db:
                turns.mark_interrupted(db, key.conversation, self._presence.is_alive)
                turns.begin(db, key, question, asked_at, me)

    def finish(self, conversation_id: str, turn_id: str, answer: StoredTurn, tenant: str = "default") -> None:
        """Record the answer and prune older ones."""
        key = _turn(tenant, conversation_id, turn_id)
        with self._using() as connections, connections.write() as db:
            if not turns.finish(db, key, answer):
                raise StoreError(
                    f"the turn {turn_id!r} is not on record in {self._layout.home}: its conversation was deleted "
                    "meanwhile, so the answer was not kept; ask again to begin a new one"
                )
            turns.prune(db, key.conversation, self._kept_turns)

    def fail(self, conversation_id: str, turn_id: str, reason: str, tenant: str = "default") -> None:
        """Record a failure."""
        key = _turn(tenant, conversation_id, turn_id)
        with self._using() as connections, connections.write() as db:
            turns.fail(db, key, reason)

    def history(self, conversation_id: str, tenant: str = "default", limit: int | None = None) -> list[Turn]:
        """Messages of the last finished turns."""
        key = _conversation(tenant, conversation_id)
        with self._using() as connections, connections.read() as db:
            return turns.history(db, key, limit)

    def turns(self, conversation_id: str, tenant: str = "default") -> list[TurnRecord]:
        """Every turn; a running one whose process is gone is shown as interrupted."""
        key = _conversation(tenant, conversation_id)
        with self._using() as connections, connections.read() as db:
            return turns.records(db, key, self._presence.is_alive)

    def conversations(self, tenant: str = "default") -> list[ConversationSummary]:
        """All conversations of a tenant."""
        with self._using() as connections, connections.read() as db:
            return turns.summaries(db, tenant)

    def tenants(self) -> list[str]:
        """Everyone who has a conversation."""
        with self._using() as connections, connections.read() as db:
            return turns.tenants(db)

    def delete(self, conversation_id: str, tenant: str = "default") -> int:
        """Forget a conversation."""
        key = _conversation(tenant, conversation_id)
        with self._using() as connections, connections.write() as db:
            return turns.delete(db, key)

    def close(self) -> None:
        """Release files and the sign of life."""
        self._presence.leave()
        self._connections.close()

    @contextmanager
    def _using(self) -> Generator[Connections]:
        with faults.translated(self._layout.home):
            yield self._connections


def _conversation(tenant: str, conversation_id: str) -> turns.ConversationKey:
    check_ids([("conversation", conversation_id)])
    return turns.ConversationKey(tenant, conversation_id)


def _turn(tenant: str, conversation_id: str, turn_id: str) -> turns.TurnKey:
    check_ids([("turn", turn_id)])
    return turns.TurnKey(_conversation(tenant, conversation_id), turn_id)
