"""The answer cache in a table. Vectors are kept in single precision, as embedding models give them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ascertain.stores.digests import digest
from ascertain.stores.packed_answers import packed, unpacked
from ascertain.stores.rows import microseconds, moment_of
from ascertain.stores.service.answers import CachedAnswer
from ascertain.stores.service_tables.database import ALL, Database, Session


class AnswerTable:
    """An ``AnswerCache``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, scope: str, question: str, tenant: str = "default") -> CachedAnswer | None:
        """The answer kept for exactly this question."""
        finding = "SELECT corpus, answer, vector, stored FROM cached_answers WHERE answer_key = ?"
        with self._database.reading() as db:
            found = db.rows(finding, digest(tenant, scope, question))
        if not found:
            return None
        corpus, answer, vector, stored = found[0]
        return CachedAnswer(
            scope, question, corpus, unpacked(answer) or {}, _vector(vector), moment_of(stored), tenant
        )

    def questions(
        self, scope: str, tenant: str = "default", limit: int = 500
    ) -> list[tuple[str, Sequence[float]]]:
        """The latest questions of a scope."""
        listing = """SELECT question, vector FROM cached_answers WHERE scope_key = ?
                     ORDER BY stored DESC, number DESC LIMIT ?"""
        with self._database.reading() as db:
            found = db.rows(listing, digest(tenant, scope), max(0, limit))
        return [(question, _vector(vector)) for question, vector in found]

    def put(self, answer: CachedAnswer, most: int) -> None:
        """Keep an answer."""
        tenant = digest(answer.tenant)
        values = (
            *(
                digest(answer.tenant, answer.scope, answer.question),
                digest(answer.tenant, answer.scope),
                tenant,
            ),
            *(answer.question, answer.corpus, packed(answer.answer), array("f", answer.vector).tobytes()),
            microseconds(answer.stored_at),
        )

        def work(db: Session) -> None:
            db.change(
                """INSERT INTO cached_answers (answer_key, scope_key, tenant_key, question, corpus, answer, vector, stored)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                   ON CONFLICT (answer_key) DO UPDATE SET corpus = excluded.corpus, answer = excluded.answer,
                       vector = excluded.vector, stored = excluded.stored""",
                *values,
            )
            db.change(
                """DELETE FROM cached_answers WHERE number IN (
                       SELECT number FROM cached_answers WHERE tenant_key = ? ORDER BY stored DESC, number DESC LIMIT ? OFFSET ?)""",
                *(tenant, ALL, max(0, most)),
            )

        self._database.change(work)

    def clear(self, tenant: str = "default") -> int:
        """Forget a tenant's answers."""
        forgetting = "DELETE FROM cached_answers WHERE tenant_key = ?"
        return self._database.change(lambda db: db.change(forgetting, digest(tenant)))


def _vector(stored: bytes) -> Sequence[float]:
    return array("f", stored)
