"""Conversations in a table: a row for each turn, in order of their start.

``turns.owner`` is the token of the process that works on a running turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.requests import (
    ConversationLabel,
    ConversationSummary,
    StoredTurn,
    Turn,
    TurnRecord,
    TurnState,
)
from ascertain.core.errors import StoreError
from ascertain.stores.ports.conversations import PROCESS_ENDED, check_ids
from ascertain.stores.records.encoding import digest_names, pack_answer, unpack_answer
from ascertain.stores.records.rows import Row, Text, guard_reading, list_columns, optional_text, python_text
from ascertain.stores.relational.database import ALL, Database, Dialect, Owner, Session, bind_marks

_LABEL_COLUMNS = "name, is_pinned, owner, is_shared"
_RUNNING, _FINISHED = TurnState.RUNNING.value, TurnState.FINISHED.value


@dataclass(frozen=True, slots=True)
class _Key:
    """The columns that name a conversation or a turn, and their values."""

    columns: tuple[str, ...]
    values: tuple[object, ...]

    @property
    def condition(self) -> str:
        return " AND ".join(f"{column} = ?" for column in self.columns)


class _TurnRow(NamedTuple):
    owner: Owner
    state: str
    turn: Text
    question: Text
    asked_at: str
    reason: Text
    standalone: Text | None
    text: Text
    type: str
    finished_at: str
    answer: Any


class ConversationTable:
    """A ``ConversationStore``; made by ``open_..._conversations`` of the stores that have a database."""

    def __init__(self, database: Database, kept_turns: int) -> None:
        self._database = database
        self._kept_turns = kept_turns

    def begin(
        self, conversation_id: str, turn_id: str, question: str, asked_at: datetime, tenant: str = "default"
    ) -> None:
        _check_turn(conversation_id, turn_id)
        names = {"tenant": tenant, "conversation": conversation_id, "turn": turn_id}
        begun = {"question": question, "asked_at": asked_at.isoformat(), "state": _RUNNING}

        def work(db: Session) -> None:
            turn = _turn_key(db.dialect, tenant, conversation_id, turn_id)
            self._interrupt_abandoned_turns(db, _conversation_key(db.dialect, tenant, conversation_id))
            db.change_rows(
                f"DELETE FROM turns WHERE {turn.condition} AND state IN (?, ?)",
                *(*turn.values, TurnState.FAILED.value, TurnState.INTERRUPTED.value),
            )
            values = names | dict(zip(turn.columns, turn.values, strict=True)) | begun | {"owner": me}
            db.change_rows(
                f"""INSERT INTO turns ({", ".join(values)}) VALUES ({bind_marks(values)})
                    ON CONFLICT ({", ".join(turn.columns)}) DO NOTHING""",
                *values.values(),
            )

        me = self._database.announce("conversations cannot be stored")
        self._database.run_change(work)

    def finish(self, conversation_id: str, turn_id: str, answer: StoredTurn, tenant: str = "default") -> None:
        _check_turn(conversation_id, turn_id)
        values = (
            *(answer.question, answer.standalone, answer.text, answer.type.value),
            *(answer.finished_at.isoformat(), pack_answer(answer.answer)),
        )

        def work(db: Session) -> None:
            turn = _turn_key(db.dialect, tenant, conversation_id, turn_id)
            changed = db.change_rows(
                f"""UPDATE turns SET state = ?, reason = '', question = ?, standalone = ?, text = ?, type = ?,
                    finished_at = ?, answer = ? WHERE {turn.condition} AND state <> ?""",
                *(_FINISHED, *values, *turn.values, _FINISHED),
            )
            if not changed and not db.fetch_rows(f"SELECT 1 FROM turns WHERE {turn.condition}", *turn.values):
                raise StoreError(
                    f"the turn {turn_id!r} is not on record in {self._database.place}: its conversation was "
                    "deleted meanwhile, so the answer was not stored; ask again to start a new one"
                )
            self._prune_answers(db, _conversation_key(db.dialect, tenant, conversation_id))

        self._database.run_change(work)

    def fail(self, conversation_id: str, turn_id: str, reason: str, tenant: str = "default") -> None:
        _check_turn(conversation_id, turn_id)

        def work(db: Session) -> None:
            turn = _turn_key(db.dialect, tenant, conversation_id, turn_id)
            db.change_rows(
                f"UPDATE turns SET state = ?, reason = ? WHERE {turn.condition} AND state = ?",
                *(TurnState.FAILED.value, reason, *turn.values, _RUNNING),
            )

        self._database.run_change(work)

    def history(self, conversation_id: str, tenant: str = "default", limit: int | None = None) -> list[Turn]:
        _check_conversation(conversation_id)
        with self._database.reading() as db:
            key = _conversation_key(db.dialect, tenant, conversation_id)
            latest = db.fetch_rows(
                f"""SELECT question, standalone, text FROM turns WHERE {key.condition} AND state = ?
                    ORDER BY number DESC LIMIT ?""",
                *(*key.values, _FINISHED, ALL if limit is None else max(0, limit)),
            )
        return [
            message
            for question, standalone, text in reversed(latest)
            for message in (
                Turn("user", python_text(question), python_text(standalone or "")),
                Turn("assistant", python_text(text)),
            )
        ]

    def turns(self, conversation_id: str, tenant: str = "default") -> list[TurnRecord]:
        """Every turn; a running one whose process has died is shown as interrupted."""
        _check_conversation(conversation_id)
        with self._database.reading() as db:
            key = _conversation_key(db.dialect, tenant, conversation_id)
            found = db.fetch_rows(
                f"SELECT {list_columns(_TurnRow._fields)} FROM turns WHERE {key.condition} ORDER BY number", *key.values
            )
            turns = list(map(_TurnRow._make, found))
            gone = self._database.find_gone(db, (turn.owner for turn in turns if turn.state == _RUNNING))
        return [_turn_record(turn, is_gone=turn.owner in gone) for turn in turns]

    def conversations(self, tenant: str = "default") -> list[ConversationSummary]:
        with self._database.reading() as db:
            key = _conversation_key(db.dialect, tenant, "").columns[-1]
            found = db.fetch_rows(
                f"""SELECT first.conversation, first.question, grouped.finished,
                           coalesce(last.finished_at, last.asked_at)
                    FROM (SELECT min(number) AS earliest, max(number) AS latest,
                                 count(*) FILTER (WHERE state = ?) AS finished
                          FROM turns WHERE tenant = ? GROUP BY {key}) grouped
                    JOIN turns first ON first.number = grouped.earliest
                    JOIN turns last ON last.number = grouped.latest
                    ORDER BY grouped.latest DESC""",
                *(_FINISHED, tenant),
            )
            by_name = _read_labels(db, tenant)
        return [_read_summary(row, by_name) for row in found]

    def label(self, conversation_id: str, label: ConversationLabel, tenant: str = "default") -> None:
        _check_conversation(conversation_id)

        def work(db: Session) -> None:
            if not self._has_turns(db, conversation_id, tenant) and not _read_labels(db, tenant, conversation_id):
                return
            db.change_rows("DELETE FROM conversation_labels WHERE label_key = ?", digest_names(tenant, conversation_id))
            if label != ConversationLabel():
                _keep_label(db, conversation_id, label, tenant)

        self._database.run_change(work)

    def claim(self, conversation_id: str, owner: str, tenant: str = "default") -> ConversationLabel:
        """The label of a conversation, given to the owner if it is new. Read first: most questions do not start one."""
        _check_conversation(conversation_id)

        def find(db: Session) -> ConversationLabel | None:
            label = _read_labels(db, tenant, conversation_id).get(conversation_id)
            if label is None and self._has_turns(db, conversation_id, tenant):
                return ConversationLabel()
            return label

        def work(db: Session) -> ConversationLabel:
            if (label := find(db)) is not None:
                return label
            _keep_label(db, conversation_id, ConversationLabel(owner=owner), tenant)
            return _read_labels(db, tenant, conversation_id)[conversation_id]

        with self._database.reading() as db:
            label = find(db)
        return self._database.run_change(work) if label is None else label

    def labels(self, tenant: str = "default") -> dict[str, ConversationLabel]:
        with self._database.reading() as db:
            return _read_labels(db, tenant)

    def find_label(self, conversation_id: str, tenant: str = "default") -> ConversationLabel:
        _check_conversation(conversation_id)
        with self._database.reading() as db:
            return _read_labels(db, tenant, conversation_id).get(conversation_id, ConversationLabel())

    def tenants(self) -> list[str]:
        found = self._database.fetch_rows("SELECT DISTINCT tenant FROM turns")
        return sorted(python_text(name) for (name,) in found)

    def take_back(self, conversation_id: str, turn_id: str, tenant: str = "default") -> list[str]:
        _check_turn(conversation_id, turn_id)

        def work(db: Session) -> list[str]:
            turn = _turn_key(db.dialect, tenant, conversation_id, turn_id)
            key = _conversation_key(db.dialect, tenant, conversation_id)
            since = f"{key.condition} AND number >= (SELECT number FROM turns WHERE {turn.condition})"
            values = (*key.values, *turn.values)
            found = db.fetch_rows(f"SELECT turn FROM turns WHERE {since} ORDER BY number", *values)
            db.change_rows(f"DELETE FROM turns WHERE {since}", *values)
            return [python_text(name) for (name,) in found]

        return self._database.run_change(work)

    def delete(self, conversation_id: str, tenant: str = "default") -> int:
        _check_conversation(conversation_id)

        def work(db: Session) -> int:
            key = _conversation_key(db.dialect, tenant, conversation_id)
            db.change_rows("DELETE FROM conversation_labels WHERE label_key = ?", digest_names(tenant, conversation_id))
            return db.change_rows(f"DELETE FROM turns WHERE {key.condition}", *key.values)

        return self._database.run_change(work)

    def close(self) -> None:
        self._database.close()

    def _has_turns(self, db: Session, conversation_id: str, tenant: str) -> bool:
        key = _conversation_key(db.dialect, tenant, conversation_id)
        return bool(db.fetch_rows(f"SELECT 1 FROM turns WHERE {key.condition} LIMIT 1", *key.values))

    def _interrupt_abandoned_turns(self, db: Session, key: _Key) -> None:
        """Mark the running turns of a conversation whose owner is gone."""
        running = f"{key.condition} AND state = ?"
        owners = db.fetch_rows(f"SELECT DISTINCT owner FROM turns WHERE {running}", *key.values, _RUNNING)
        if gone := list(self._database.find_gone(db, (owner for (owner,) in owners))):
            db.change_rows(
                f"UPDATE turns SET state = ?, reason = ? WHERE {running} AND owner IN ({bind_marks(gone)})",
                *(TurnState.INTERRUPTED.value, PROCESS_ENDED, *key.values, _RUNNING, *gone),
            )

    def _prune_answers(self, db: Session, key: _Key) -> None:
        """Drop the whole answers of all but the last finished turns; questions and texts stay."""
        db.change_rows(
            f"""UPDATE turns SET answer = NULL WHERE {key.condition} AND answer IS NOT NULL AND number NOT IN
                (SELECT number FROM turns WHERE {key.condition} AND state = ?
                 ORDER BY number DESC LIMIT ?)""",
            *(*key.values, *key.values, _FINISHED, max(0, self._kept_turns)),
        )


def _keep_label(db: Session, conversation_id: str, label: ConversationLabel, tenant: str) -> None:
    """Write a label where there is none."""
    values = (
        *(digest_names(tenant, conversation_id), tenant, conversation_id, label.name, int(label.is_pinned)),
        *(label.owner, int(label.is_shared)),
    )
    db.change_rows(
        f"""INSERT INTO conversation_labels (label_key, tenant, conversation, {_LABEL_COLUMNS})
            VALUES ({bind_marks(values)}) ON CONFLICT (label_key) DO NOTHING""",
        *values,
    )


@guard_reading
def _read_labels(db: Session, tenant: str, conversation_id: str | None = None) -> dict[str, ConversationLabel]:
    """The labels of a tenant, or of one conversation, by conversation."""
    column, value = (
        ("tenant", tenant) if conversation_id is None else ("label_key", digest_names(tenant, conversation_id))
    )
    found = db.fetch_rows(f"SELECT conversation, {_LABEL_COLUMNS} FROM conversation_labels WHERE {column} = ?", value)
    return {
        python_text(of): ConversationLabel(python_text(name), bool(pinned), python_text(owner), bool(shared))
        for of, name, pinned, owner, shared in found
    }


@guard_reading
def _read_summary(row: Row, labels: Mapping[str, ConversationLabel]) -> ConversationSummary:
    stored_name, question, turns, used = row
    name, last_used = python_text(stored_name), datetime.fromisoformat(used)
    return ConversationSummary(name, python_text(question), turns, last_used, labels.get(name, ConversationLabel()))


def _check_conversation(conversation_id: str) -> None:
    check_ids([("conversation", conversation_id)])


def _check_turn(conversation_id: str, turn_id: str) -> None:
    check_ids([("turn", turn_id), ("conversation", conversation_id)])


def _conversation_key(dialect: Dialect, tenant: str, conversation_id: str) -> _Key:
    if dialect.has_key_columns:
        return _Key(("conversation_key",), (digest_names(tenant, conversation_id),))
    return _Key(("tenant", "conversation"), (tenant, conversation_id))


def _turn_key(dialect: Dialect, tenant: str, conversation_id: str, turn_id: str) -> _Key:
    key = _conversation_key(dialect, tenant, conversation_id)
    if dialect.has_key_columns:
        return _Key((*key.columns, "turn_key"), (*key.values, digest_names(turn_id)))
    return _Key((*key.columns, "turn"), (*key.values, turn_id))


@guard_reading
def _turn_record(row: _TurnRow, *, is_gone: bool) -> TurnRecord:
    state, reason = TurnState(row.state), python_text(row.reason)
    if state is TurnState.RUNNING and is_gone:
        state, reason = TurnState.INTERRUPTED, PROCESS_ENDED
    outcome = None
    if state is TurnState.FINISHED:
        outcome = StoredTurn(
            question=python_text(row.question),
            text=python_text(row.text),
            type=AnswerType(row.type),
            finished_at=datetime.fromisoformat(row.finished_at),
            standalone=optional_text(row.standalone),
            answer=unpack_answer(row.answer),
        )
    asked = datetime.fromisoformat(row.asked_at)
    return TurnRecord(python_text(row.turn), python_text(row.question), asked, state, reason, outcome)
