"""Reading and writing the turns of conversations. Every function runs inside the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from ascertain.core.answers import AnswerType
from ascertain.core.conversations import ConversationSummary, StoredTurn, Turn, TurnRecord, TurnState
from ascertain.stores.conversations import PROCESS_ENDED
from ascertain.stores.packed_answers import packed, unpacked
from ascertain.stores.rows import Row, optional_python, optional_sql, python_text, sql_text

IsAlive = Callable[[str], bool]
"""Whether the process of an owner's token lives."""

_ONE_TURN = "tenant = ? AND conversation = ? AND turn = ?"
_ONE_CONVERSATION = "tenant = ? AND conversation = ?"


@dataclass(frozen=True, slots=True)
class ConversationKey:
    """A conversation of a tenant."""

    tenant: str
    id: str

    @property
    def parameters(self) -> tuple[str | bytes, ...]:
        """As SQLite takes them."""
        return sql_text(self.tenant), sql_text(self.id)


@dataclass(frozen=True, slots=True)
class TurnKey:
    """A turn of a conversation."""

    conversation: ConversationKey
    id: str

    @property
    def parameters(self) -> tuple[str | bytes, ...]:
        """As SQLite takes them."""
        return *self.conversation.parameters, sql_text(self.id)


def begin(db: sqlite3.Connection, key: TurnKey, question: str, asked_at: datetime, owner: str) -> None:
    """Add a running turn as the latest, unless it is running or finished already."""
    db.execute(
        f"DELETE FROM turns WHERE {_ONE_TURN} AND state IN (?, ?)",
        (*key.parameters, TurnState.FAILED.value, TurnState.INTERRUPTED.value),
    )
    db.execute(
        """INSERT INTO turns (tenant, conversation, turn, question, asked_at, state, owner) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (tenant, conversation, turn) DO NOTHING""",
        (*key.parameters, sql_text(question), asked_at.isoformat(), TurnState.RUNNING.value, owner),
    )


def mark_interrupted(db: sqlite3.Connection, key: ConversationKey, is_alive: IsAlive) -> None:
    """Mark the running turns of a conversation whose owner is gone."""
    running = db.execute(
        f"SELECT number, owner FROM turns WHERE {_ONE_CONVERSATION} AND state = ?",
        (*key.parameters, TurnState.RUNNING.value),
    ).fetchall()
    for number, owner in running:
        if not is_alive(owner):
            db.execute(
                "UPDATE turns SET state = ?, reason = ? WHERE number = ?",
                (TurnState.INTERRUPTED.value, PROCESS_ENDED, number),
            )


def finish(db: sqlite3.Connection, key: TurnKey, answer: StoredTurn) -> bool:
    """Record the answer of a turn that has none yet; False when there is no such turn."""
    changed = db.execute(
        f"""UPDATE turns SET state = ?, reason = '', question = ?, standalone = ?, text = ?, type = ?, finished_at = ?,
            answer = ? WHERE {_ONE_TURN} AND state != ?""",
        (
            TurnState.FINISHED.value,
            sql_text(answer.question),
            optional_sql(answer.standalone),
            sql_text(answer.text),
            answer.type.value,
            answer.finished_at.isoformat(),
            packed(answer.answer),
            *key.parameters,
            TurnState.FINISHED.value,
        ),
    ).rowcount
    return bool(changed) or _exists(db, key)


def prune(db: sqlite3.Connection, key: ConversationKey, kept: int) -> None:
    """Drop the whole answers of all but the last ``kept`` finished turns; questions and texts stay."""
    db.execute(
        f"""UPDATE turns SET answer = NULL WHERE {_ONE_CONVERSATION} AND answer IS NOT NULL AND number NOT IN
            (SELECT number FROM turns WHERE {_ONE_CONVERSATION} AND state = ? ORDER BY number DESC LIMIT ?)""",
        (*key.parameters, *key.parameters, TurnState.FINISHED.value, kept),
    )


def fail(db: sqlite3.Connection, key: TurnKey, reason: str) -> None:
    """Record why a running turn came to nothing."""
    db.execute(
        f"UPDATE turns SET state = ?, reason = ? WHERE {_ONE_TURN} AND state = ?",
        (TurnState.FAILED.value, sql_text(reason), *key.parameters, TurnState.RUNNING.value),
    )


def history(db: sqlite3.Connection, key: ConversationKey, limit: int | None) -> list[Turn]:
    """The messages of the last ``limit`` finished turns, oldest first."""
    latest = db.execute(
        f"SELECT question, text FROM turns WHERE {_ONE_CONVERSATION} AND state = ? ORDER BY number DESC LIMIT ?",
        (*key.parameters, TurnState.FINISHED.value, -1 if limit is None else max(0, limit)),
    ).fetchall()
    return [
        message
        for question, text in reversed(latest)
        for message in (Turn("user", python_text(question)), Turn("assistant", python_text(text)))
    ]


def records(db: sqlite3.Connection, key: ConversationKey, is_alive: IsAlive) -> list[TurnRecord]:
    """Every turn, oldest first."""
    found = db.execute(
        f"""SELECT turn, question, asked_at, state, reason, owner, standalone, text, type, finished_at, answer
            FROM turns WHERE {_ONE_CONVERSATION} ORDER BY number""",
        key.parameters,
    )
    return [_record(row, is_alive) for row in found]


def summaries(db: sqlite3.Connection, tenant: str) -> list[ConversationSummary]:
    """One for each conversation, the last used first."""
    found = db.execute(
        """SELECT first.conversation, first.question, grouped.finished, coalesce(last.finished_at, last.asked_at)
           FROM (SELECT min(number) AS earliest, max(number) AS latest, sum(state = ?) AS finished FROM turns
                 WHERE tenant = ? GROUP BY conversation) grouped
           JOIN turns first ON first.number = grouped.earliest JOIN turns last ON last.number = grouped.latest
           ORDER BY grouped.latest DESC""",
        (TurnState.FINISHED.value, sql_text(tenant)),
    )
    return [
        ConversationSummary(python_text(name), python_text(question), finished, datetime.fromisoformat(used))
        for name, question, finished, used in found
    ]


def tenants(db: sqlite3.Connection) -> list[str]:
    """Everyone who has a turn, in order of name."""
    return sorted(python_text(name) for (name,) in db.execute("SELECT DISTINCT tenant FROM turns"))


def delete(db: sqlite3.Connection, key: ConversationKey) -> int:
    """Remove every turn of a conversation; how many there were."""
    return db.execute(f"DELETE FROM turns WHERE {_ONE_CONVERSATION}", key.parameters).rowcount


def _exists(db: sqlite3.Connection, key: TurnKey) -> bool:
    return db.execute(f"SELECT 1 FROM turns WHERE {_ONE_TURN}", key.parameters).fetchone() is not None


def _record(row: Row, is_alive: IsAlive) -> TurnRecord:
    turn, question, asked_at, stored_state, reason, owner, standalone, text, kind, finished_at, answer = row
    state, reason = TurnState(stored_state), python_text(reason)
    if state is TurnState.RUNNING and not is_alive(owner):
        state, reason = TurnState.INTERRUPTED, PROCESS_ENDED
    outcome = None
    if state is TurnState.FINISHED:
        outcome = StoredTurn(
            question=python_text(question),
            text=python_text(text),
            type=AnswerType(kind),
            finished_at=datetime.fromisoformat(finished_at),
            standalone=optional_python(standalone),
            answer=unpacked(answer),
        )
    return TurnRecord(
        python_text(turn), python_text(question), datetime.fromisoformat(asked_at), state, reason, outcome
    )
