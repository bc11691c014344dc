"""Conversations on a PostgreSQL server, shared by every process that uses the knowledge base."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from ascertain.core.conversations import ConversationSummary, StoredTurn, Turn, TurnRecord
from ascertain.core.errors import StoreError
from ascertain.core.settings_store import StoreSettings
from ascertain.stores.conversations import check_ids
from ascertain.stores.postgres import faults, turns
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.opening import connect
from ascertain.stores.postgres.presence import Presence

_Result = TypeVar("_Result")


def open_postgres_conversations(
    settings: StoreSettings, home: Path, kept_turns: int
) -> PostgresConversations:
    """The conversations of the knowledge base at ``settings.url``; StoreError when there is none or it cannot be used."""
    return PostgresConversations(connect(settings), kept_turns)


class PostgresConversations:
    """A ``ConversationStore`` in one schema of a database; made by ``open_postgres_conversations``."""

    def __init__(self, connections: Connections, kept_turns: int) -> None:
        self._connections = connections
        self._kept_turns = kept_turns
        self._presence = Presence(connections)

    def begin(
        self, conversation_id: str, turn_id: str, question: str, asked_at: datetime, tenant: str = "default"
    ) -> None:
        """Record a turn as running."""
        key = _turn(tenant, conversation_id, turn_id)

        def work(db: Connection) -> None:
            turns.mark_interrupted(db, key.conversation, self._presence.dead)
            turns.begin(db, key, question, asked_at, me)

        with faults.translated(self._connections.place):
            me = self._presence.announce()
            self._connections.change(work)

    def finish(self, conversation_id: str, turn_id: str, answer: StoredTurn, tenant: str = "default") -> None:
        """Record the answer and prune older ones."""
        key = _turn(tenant, conversation_id, turn_id)

        def work(db: Connection) -> None:
            if not turns.finish(db, key, answer):
                raise StoreError(
                    f"the turn {turn_id!r} is not on record in {self._connections.place}: its conversation was "
                    "deleted meanwhile, so the answer was not kept; ask again to begin a new one"
                )
            turns.prune(db, key.conversation, self._kept_turns)

        self._change(work)

    def fail(self, conversation_id: str, turn_id: str, reason: str, tenant: str = "default") -> None:
        """Record a failure."""
        key = _turn(tenant, conversation_id, turn_id)
        self._change(lambda db: turns.fail(db, key, reason))

    def history(self, conversation_id: str, tenant: str = "default", limit: int | None = None) -> list[Turn]:
        """Messages of the last finished turns."""
        key = _conversation(tenant, conversation_id)
        with self._reading() as db:
            return turns.history(db, key, limit)

    def turns(self, conversation_id: str, tenant: str = "default") -> list[TurnRecord]:
        """Every turn; a running one whose process is gone is shown as interrupted."""
        key = _conversation(tenant, conversation_id)
        with self._reading() as db:
            return turns.records(db, key, self._presence.dead)

    def conversations(self, tenant: str = "default") -> list[ConversationSummary]:
        """All conversations of a tenant."""
        with self._reading() as db:
            return turns.summaries(db, tenant)

    def tenants(self) -> list[str]:
        """Everyone who has a conversation."""
        with self._reading() as db:
            return turns.tenants(db)

    def delete(self, conversation_id: str, tenant: str = "default") -> int:
        """Forget a conversation."""
        key = _conversation(tenant, conversation_id)
        return self._change(lambda db: turns.delete(db, key))

    def close(self) -> None:
        """Close the connections, the sign of life among them."""
        self._presence.leave()
        self._connections.close()

    def _change(self, work: Callable[[Connection], _Result]) -> _Result:
        with faults.translated(self._connections.place):
            return self._connections.change(work)

    @contextmanager
    def _reading(self) -> Generator[Connection]:
        with faults.translated(self._connections.place), self._connections.read() as db:
            yield db


def _conversation(tenant: str, conversation_id: str) -> turns.ConversationKey:
    check_ids([("conversation", conversation_id)])
    return turns.ConversationKey(tenant, conversation_id)


def _turn(tenant: str, conversation_id: str, turn_id: str) -> turns.TurnKey:
    check_ids([("turn", turn_id)])
    return turns.TurnKey(_conversation(tenant, conversation_id), turn_id)
