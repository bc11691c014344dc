"""Reading and writing the turns of conversations. Every function runs inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from ascertain.core.answers import AnswerType
from ascertain.core.conversations import ConversationSummary, StoredTurn, Turn, TurnRecord, TurnState
from ascertain.stores.conversations import PROCESS_ENDED
from ascertain.stores.digests import digest
from ascertain.stores.packed_answers import packed, unpacked
from ascertain.stores.postgres.connections import Connection
from ascertain.stores.rows import Row

Dead = Callable[[Connection, Iterable[int]], list[int]]
"""Which of some owners are gone."""


@dataclass(frozen=True, slots=True)
class ConversationKey:
    """A conversation of a tenant."""

    tenant: str
    id: str

    @property
    def digest(self) -> bytes:
        """What it is found by."""
        return digest(self.tenant, self.id)


@dataclass(frozen=True, slots=True)
class TurnKey:
    """A turn of a conversation."""

    conversation: ConversationKey
    id: str

    @property
    def parameters(self) -> tuple[bytes, bytes]:
        """``conversation_key`` and ``turn_key``."""
        return self.conversation.digest, digest(self.id)


def begin(db: Connection, key: TurnKey, question: str, asked_at: datetime, owner: int) -> None:
    """Add a running turn as the latest, unless it is running or finished already."""
    db.execute(
        "DELETE FROM turns WHERE conversation_key = %s AND turn_key = %s AND state IN (%s, %s)",
        (*key.parameters, TurnState.FAILED.value, TurnState.INTERRUPTED.value),
    )
    names = (key.conversation.tenant, key.conversation.id, key.id)
    db.execute(
        """INSERT INTO turns
           (conversation_key, turn_key, tenant, conversation, turn, question, asked_at, state, owner)
           VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (conversation_key, turn_key) DO NOTHING""",
        (*key.parameters, *names, question, asked_at.isoformat(), TurnState.RUNNING.value, owner),
    )


def mark_interrupted(db: Connection, key: ConversationKey, dead: Dead) -> None:
    """Mark the running turns of a conversation whose owner is gone."""
    running = db.execute(
        "SELECT DISTINCT owner FROM turns WHERE conversation_key = %s AND state = %s",
        (key.digest, TurnState.RUNNING.value),
    ).fetchall()
    gone = dead(db, (owner for (owner,) in running)) if running else []
    if gone:
        db.execute(
            "UPDATE turns SET state = %s, reason = %s WHERE conversation_key = %s AND state = %s AND owner = ANY(%s)",
            (TurnState.INTERRUPTED.value, PROCESS_ENDED, key.digest, TurnState.RUNNING.value, gone),
        )


def finish(db: Connection, key: TurnKey, answer: StoredTurn) -> bool:
    """Record the answer of a turn that has none yet; False when there is no such turn."""
    changed = db.execute(
        """UPDATE turns SET state = %s, reason = '', question = %s, standalone = %s, text = %s, type = %s, finished_at = %s,
           answer = %s WHERE conversation_key = %s AND turn_key = %s AND state <> %s""",
        (
            TurnState.FINISHED.value,
            answer.question,
            answer.standalone,
            answer.text,
            answer.type.value,
            answer.finished_at.isoformat(),
            packed(answer.answer),
            *key.parameters,
            TurnState.FINISHED.value,
        ),
    ).rowcount
    return bool(changed) or _exists(db, key)


def prune(db: Connection, key: ConversationKey, kept: int) -> None:
    """Drop the whole answers of all but the last ``kept`` finished turns; questions and texts stay."""
    db.execute(
        """UPDATE turns SET answer = NULL WHERE conversation_key = %s AND answer IS NOT NULL AND number NOT IN
           (SELECT number FROM turns WHERE conversation_key = %s AND state = %s ORDER BY number DESC LIMIT %s)""",
        (key.digest, key.digest, TurnState.FINISHED.value, max(0, kept)),
    )


def fail(db: Connection, key: TurnKey, reason: str) -> None:
    """Record why a running turn came to nothing."""
    db.execute(
        "UPDATE turns SET state = %s, reason = %s WHERE conversation_key = %s AND turn_key = %s AND state = %s",
        (TurnState.FAILED.value, reason, *key.parameters, TurnState.RUNNING.value),
    )


def history(db: Connection, key: ConversationKey, limit: int | None) -> list[Turn]:
    """The messages of the last ``limit`` finished turns, oldest first."""
    latest = db.execute(
        """SELECT question, text FROM turns WHERE conversation_key = %s AND state = %s
           ORDER BY number DESC LIMIT %s""",
        (key.digest, TurnState.FINISHED.value, None if limit is None else max(0, limit)),
    ).fetchall()
    return [
        message
        for question, text in reversed(latest)
        for message in (Turn("user", question), Turn("assistant", text))
    ]


def records(db: Connection, key: ConversationKey, dead: Dead) -> list[TurnRecord]:
    """Every turn, oldest first; a running one whose owner is gone is shown as interrupted."""
    found = db.execute(
        """SELECT owner, turn, question, asked_at, state, reason, standalone, text, type, finished_at, answer
           FROM turns WHERE conversation_key = %s ORDER BY number""",
        (key.digest,),
    ).fetchall()
    running = {row[0] for row in found if row[4] == TurnState.RUNNING.value}
    gone = set(dead(db, running)) if running else set[int]()
    return [_record(row[1:], is_gone=row[0] in gone) for row in found]


def summaries(db: Connection, tenant: str) -> list[ConversationSummary]:
    """One for each conversation, the last used first."""
    found = db.execute(
        """SELECT first.conversation, first.question, grouped.finished, coalesce(last.finished_at, last.asked_at)
           FROM (SELECT min(number) AS earliest, max(number) AS latest, count(*) FILTER (WHERE state = %s) AS finished
                 FROM turns WHERE tenant = %s GROUP BY conversation_key) grouped
           JOIN turns first ON first.number = grouped.earliest JOIN turns last ON last.number = grouped.latest
           ORDER BY grouped.latest DESC""",
        (TurnState.FINISHED.value, tenant),
    )
    return [
        ConversationSummary(name, question, finished, datetime.fromisoformat(used))
        for name, question, finished, used in found
    ]


def tenants(db: Connection) -> list[str]:
    """Everyone who has a turn, in order of name."""
    return sorted(name for (name,) in db.execute("SELECT DISTINCT tenant FROM turns"))


def delete(db: Connection, key: ConversationKey) -> int:
    """Remove every turn of a conversation; how many there were."""
    return db.execute("DELETE FROM turns WHERE conversation_key = %s", (key.digest,)).rowcount


def _exists(db: Connection, key: TurnKey) -> bool:
    found = db.execute("SELECT FROM turns WHERE conversation_key = %s AND turn_key = %s", key.parameters)
    return found.fetchone() is not None


def _record(row: Row, *, is_gone: bool) -> TurnRecord:
    turn, question, asked_at, stored_state, reason, standalone, text, kind, finished_at, answer = row
    state = TurnState(stored_state)
    if state is TurnState.RUNNING and is_gone:
        state, reason = TurnState.INTERRUPTED, PROCESS_ENDED
    outcome = None
    if state is TurnState.FINISHED:
        outcome = StoredTurn(
            question=question,
            text=text,
            type=AnswerType(kind),
            finished_at=datetime.fromisoformat(finished_at),
            standalone=standalone,
            answer=unpacked(answer),
        )
    return TurnRecord(turn, question, datetime.fromisoformat(asked_at), state, reason, outcome)
