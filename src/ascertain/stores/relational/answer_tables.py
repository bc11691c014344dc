"""The answers that a service stores and the feedback on them, in tables; ``service_tables`` says how rows are found."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Literal, NamedTuple

from ascertain.core.service.service import GivenAnswer, Thumb
from ascertain.stores.ports.service import KEPT_UNJUDGED, CachedAnswer
from ascertain.stores.records.encoding import digest_names, pack_answer, unpack_answer
from ascertain.stores.records.rows import Row, guard_reading, list_columns, moment_of, optional_moment, to_microseconds
from ascertain.stores.relational.database import ALL, Database, Session, bind_marks


class AnswerTable:
    """An ``AnswerCache``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @guard_reading
    def get(self, scope: str, question: str, tenant: str = "default") -> CachedAnswer | None:
        finding = "SELECT corpus, answer, stored FROM cached_answers WHERE answer_key = ?"
        found = self._database.fetch_rows(finding, digest_names(tenant, scope, question))
        if not found:
            return None
        corpus, answer, stored = found[0]
        return CachedAnswer(scope, question, corpus, unpack_answer(answer) or {}, moment_of(stored), tenant)

    def put(self, answer: CachedAnswer, most: int) -> None:
        tenant = digest_names(answer.tenant)
        values = (
            digest_names(answer.tenant, answer.scope, answer.question),
            tenant,
            answer.corpus,
            pack_answer(answer.answer),
            to_microseconds(answer.stored_at),
        )

        def work(db: Session) -> None:
            db.change_rows(
                """INSERT INTO cached_answers (answer_key, tenant_key, corpus, answer, stored) VALUES (?, ?, ?, ?, ?)
                   ON CONFLICT (answer_key) DO UPDATE SET corpus = excluded.corpus, answer = excluded.answer,
                       stored = excluded.stored""",
                *values,
            )
            db.change_rows(
                """DELETE FROM cached_answers WHERE number IN (
                       SELECT number FROM cached_answers WHERE tenant_key = ?
                       ORDER BY stored DESC, number DESC LIMIT ? OFFSET ?)""",
                *(tenant, ALL, max(0, most)),
            )

        self._database.run_change(work)

    def clear(self, tenant: str = "default") -> int:
        forgetting = "DELETE FROM cached_answers WHERE tenant_key = ?"
        return self._database.change_rows(forgetting, digest_names(tenant))

    def delete_conversation(self, conversation_id: str, tenant: str = "default") -> int:
        """Reads all answers of the tenant, as only the answers say where they were given; there are few enough."""
        finding = "SELECT number, answer FROM cached_answers WHERE tenant_key = ?"
        given = [
            (number,)
            for number, answer in self._database.fetch_rows(finding, digest_names(tenant))
            if (unpack_answer(answer) or {}).get("conversation_id") == conversation_id
        ]

        def work(db: Session) -> int:
            return sum(db.change_rows("DELETE FROM cached_answers WHERE number = ?", *number) for number in given)

        return self._database.run_change(work) if given else 0


class _AnswerRow(NamedTuple):
    id: str
    answered: int
    question: str
    answer_type: str
    strategy: str
    confidence: int
    question_kind: str
    features: str
    conversation: str | None
    tenant: str
    owner: str
    thumb: Literal["up", "down"] | None
    comment: str
    judged: int | None


_ANSWER_COLUMNS = list_columns(_AnswerRow._fields)


_CLOCKS_DIFFER = 24 * 3600 * 1_000_000
"""Microseconds by which the machine that notes feedback may be behind the one that gave the answer."""


class FeedbackTable:
    """A ``FeedbackStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, answer: GivenAnswer) -> None:
        tenant = digest_names(answer.tenant)
        judged = None if answer.judged_at is None else to_microseconds(answer.judged_at)
        values = (
            *(digest_names(answer.tenant, answer.answer_id), tenant),
            *(answer.answer_id, to_microseconds(answer.answered_at)),
            *(answer.question, answer.answer_type, answer.strategy, answer.confidence, answer.question_kind),
            *(json.dumps(dict(answer.features)), answer.conversation_id, answer.tenant, answer.user),
            *(answer.thumb, answer.comment, judged),
        )

        def work(db: Session) -> None:
            db.change_rows(
                f"""INSERT INTO given_answers (answer_key, tenant_key, {_ANSWER_COLUMNS})
                    VALUES ({bind_marks(values)}) ON CONFLICT DO NOTHING""",
                *values,
            )
            db.change_rows(
                """DELETE FROM given_answers WHERE number IN (
                       SELECT number FROM given_answers WHERE tenant_key = ? AND thumb IS NULL
                       ORDER BY number DESC LIMIT ? OFFSET ?)""",
                *(tenant, ALL, KEPT_UNJUDGED),
            )

        self._database.run_change(work)

    def judge(
        self, answer_id: str, thumb: Thumb, comment: str, moment: datetime, tenant: str = "default"
    ) -> GivenAnswer | None:
        judging = f"""UPDATE given_answers SET thumb = ?, comment = ?, judged = ? WHERE answer_key = ?
                      RETURNING {_ANSWER_COLUMNS}"""
        values = (thumb, comment, to_microseconds(moment), digest_names(tenant, answer_id))
        found = self._database.run_change(lambda db: db.fetch_rows(judging, *values))
        return _read_answer(found[0]) if found else None

    def get(self, answer_id: str, tenant: str = "default") -> GivenAnswer | None:
        found = self._database.fetch_rows(
            f"SELECT {_ANSWER_COLUMNS} FROM given_answers WHERE answer_key = ?", digest_names(tenant, answer_id)
        )
        return _read_answer(found[0]) if found else None

    def answers(self, tenant: str = "default", since: datetime | None = None) -> list[GivenAnswer]:
        mine = digest_names(tenant)
        if since is None:
            listing = f"SELECT {_ANSWER_COLUMNS} FROM given_answers WHERE tenant_key = ? ORDER BY number"
            return [_read_answer(row) for row in self._database.fetch_rows(listing, mine)]
        # Each half has an index: few answers without feedback are stored, and those with feedback were given before it.
        listing = f"""SELECT {_ANSWER_COLUMNS} FROM (
                          SELECT number, {_ANSWER_COLUMNS} FROM given_answers
                          WHERE tenant_key = ? AND thumb IS NULL AND answered >= ?
                          UNION ALL
                          SELECT number, {_ANSWER_COLUMNS} FROM given_answers
                          WHERE tenant_key = ? AND thumb IS NOT NULL AND judged >= ? AND answered >= ?) kept
                      ORDER BY number"""
        earliest = to_microseconds(since)
        values = (mine, earliest, mine, earliest - _CLOCKS_DIFFER, earliest)
        return [_read_answer(row) for row in self._database.fetch_rows(listing, *values)]

    def judged(self, tenant: str = "default", since: datetime | None = None) -> list[GivenAnswer]:
        listing = f"""SELECT {_ANSWER_COLUMNS} FROM given_answers WHERE tenant_key = ? AND thumb IS NOT NULL
                      AND judged >= ? ORDER BY judged, number"""
        earliest = -ALL if since is None else to_microseconds(since)
        return [_read_answer(row) for row in self._database.fetch_rows(listing, digest_names(tenant), earliest)]

    def delete_conversation(self, conversation_id: str, tenant: str = "default") -> int:
        forgetting = "DELETE FROM given_answers WHERE tenant_key = ? AND conversation = ?"
        return self._database.change_rows(forgetting, digest_names(tenant), conversation_id)


@guard_reading
def _read_answer(values: Row) -> GivenAnswer:
    row = _AnswerRow._make(values)
    return GivenAnswer(
        answer_id=row.id,
        answered_at=moment_of(row.answered),
        question=row.question,
        answer_type=row.answer_type,
        strategy=row.strategy,
        confidence=row.confidence,
        question_kind=row.question_kind,
        features=json.loads(row.features),
        conversation_id=row.conversation,
        tenant=row.tenant,
        user=row.owner,
        thumb=row.thumb,
        comment=row.comment,
        judged_at=optional_moment(row.judged),
    )
