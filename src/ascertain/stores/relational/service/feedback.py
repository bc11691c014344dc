"""Answers given, and what people thought of them, in a table."""

from __future__ import annotations

import json
from datetime import datetime

from ascertain.stores.digests import digest
from ascertain.stores.relational.database import ALL, Database, Session, marks
from ascertain.stores.rows import Row, microseconds, moment_of, optional_moment
from ascertain.stores.service.feedback import KEPT_UNJUDGED, GivenAnswer, Thumb

_COLUMNS = (
    "id, answered, question, answer_type, strategy, confidence, question_kind, features, conversation, tenant, thumb, "
    "comment, judged"
)


class FeedbackTable:
    """A ``FeedbackStore``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, answer: GivenAnswer) -> None:
        """Keep that an answer was given."""
        tenant = digest(answer.tenant)
        judged = None if answer.judged_at is None else microseconds(answer.judged_at)
        values = (
            *(
                digest(answer.tenant, answer.answer_id),
                tenant,
                answer.answer_id,
                microseconds(answer.answered_at),
            ),
            *(answer.question, answer.answer_type, answer.strategy, answer.confidence, answer.question_kind),
            *(json.dumps(dict(answer.features)), answer.conversation_id, answer.tenant),
            *(answer.thumb, answer.comment, judged),
        )

        def work(db: Session) -> None:
            db.change_rows(
                f"INSERT INTO given_answers (answer_key, tenant_key, {_COLUMNS}) VALUES ({marks(values)}) ON CONFLICT DO NOTHING",
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
        """Keep what somebody thought."""
        judging = f"UPDATE given_answers SET thumb = ?, comment = ?, judged = ? WHERE answer_key = ? RETURNING {_COLUMNS}"
        values = (thumb, comment, microseconds(moment), digest(tenant, answer_id))
        found = self._database.run_change(lambda db: db.fetch_rows(judging, *values))
        return _answer(found[0]) if found else None

    def get(self, answer_id: str, tenant: str = "default") -> GivenAnswer | None:
        """One answer."""
        found = self._database.fetch_rows(
            f"SELECT {_COLUMNS} FROM given_answers WHERE answer_key = ?", digest(tenant, answer_id)
        )
        return _answer(found[0]) if found else None

    def answers(self, tenant: str = "default") -> list[GivenAnswer]:
        """All that are kept."""
        listing = f"SELECT {_COLUMNS} FROM given_answers WHERE tenant_key = ? ORDER BY number"
        return [_answer(row) for row in self._database.fetch_rows(listing, digest(tenant))]

    def judged(self, tenant: str = "default", since: datetime | None = None) -> list[GivenAnswer]:
        """Those somebody judged."""
        listing = f"""SELECT {_COLUMNS} FROM given_answers WHERE tenant_key = ? AND thumb IS NOT NULL AND judged >= ?
                      ORDER BY judged, number"""
        earliest = -ALL if since is None else microseconds(since)
        return [_answer(row) for row in self._database.fetch_rows(listing, digest(tenant), earliest)]


def _answer(row: Row) -> GivenAnswer:
    name, answered, question, answer_type, strategy, confidence, question_kind, features, *rest = row
    conversation, tenant, thumb, comment, judged = rest
    return GivenAnswer(
        answer_id=name,
        answered_at=moment_of(answered),
        question=question,
        answer_type=answer_type,
        strategy=strategy,
        confidence=confidence,
        question_kind=question_kind,
        features=json.loads(features),
        conversation_id=conversation,
        tenant=tenant,
        thumb=thumb,
        comment=comment,
        judged_at=optional_moment(judged),
    )
