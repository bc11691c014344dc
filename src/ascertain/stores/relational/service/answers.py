"""The answer cache in a table."""

from __future__ import annotations

from ascertain.stores.digests import digest
from ascertain.stores.packed_answers import packed, unpacked
from ascertain.stores.relational.database import ALL, Database, Session
from ascertain.stores.rows import microseconds, moment_of
from ascertain.stores.service.answers import CachedAnswer


class AnswerTable:
    """An ``AnswerCache``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, scope: str, question: str, tenant: str = "default") -> CachedAnswer | None:
        """The answer kept for exactly this question."""
        finding = "SELECT corpus, answer, stored FROM cached_answers WHERE answer_key = ?"
        found = self._database.fetch_rows(finding, digest(tenant, scope, question))
        if not found:
            return None
        corpus, answer, stored = found[0]
        return CachedAnswer(scope, question, corpus, unpacked(answer) or {}, moment_of(stored), tenant)

    def put(self, answer: CachedAnswer, most: int) -> None:
        """Keep an answer."""
        tenant = digest(answer.tenant)
        values = (
            digest(answer.tenant, answer.scope, answer.question),
            tenant,
            answer.corpus,
            packed(answer.answer),
            microseconds(answer.stored_at),
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
                       SELECT number FROM cached_answers WHERE tenant_key = ? ORDER BY stored DESC, number DESC LIMIT ? OFFSET ?)""",
                *(tenant, ALL, max(0, most)),
            )

        self._database.run_change(work)

    def clear(self, tenant: str = "default") -> int:
        """Forget a tenant's answers."""
        forgetting = "DELETE FROM cached_answers WHERE tenant_key = ?"
        return self._database.change_rows(forgetting, digest(tenant))
