"""The examination behind ``ascertain doctor``."""

from __future__ import annotations

import shutil

from ascertain.core.status import HealthReport
from ascertain.stores.embedded import change_log, migrations, reembedding
from ascertain.stores.embedded.change_log import read_state
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.home import Layout
from ascertain.stores.embedded.lexical.leg import LexicalLeg
from ascertain.stores.embedded.vectors.leg import DenseSearch
from ascertain.stores.preparation import Generation
from ascertain.stores.relational.reembedding import find_active
from ascertain.stores.relational.store import count_searchable, describe_record, find_chunk_problems

_LOW_DISK_BYTES = 200_000_000


class Examination:
    """Compares the derived indexes with the record of one home."""

    def __init__(self, layout: Layout, connections: Connections, lexical: LexicalLeg, dense: DenseSearch) -> None:
        self._layout = layout
        self._connections = connections
        self._lexical = lexical
        self._dense = dense

    def report(self) -> HealthReport:
        """What is wrong now, and the facts."""
        with self._connections.read() as db:
            problems = _record_problems(db)
            facts = _record_facts(db)
        words, words_facts = self._word_index()
        vectors, vectors_facts = self._dense.examine()
        free = shutil.disk_usage(self._layout.home).free
        if free < _LOW_DISK_BYTES:
            problems.append(f"only {free // 1_000_000} MB are free in {self._layout.home}: free some space")
        facts |= words_facts | vectors_facts | {"free space": f"{free / 1e9:.1f} GB"}
        return HealthReport((*problems, *words, *vectors), facts)

    def repair_and_report(self) -> HealthReport:
        """Rebuild what is wrong and report again; the caller holds the writer's lock."""
        reembedding.delete_retired_vectors_of_reembedding(self._connections)
        words, _ = self._word_index()
        vectors, _ = self._dense.examine()
        if words:
            self._lexical.index.discard()
        self._lexical.catch_up()
        self._lexical.index.finish()
        if vectors:
            self._dense.rebuild()
        else:
            self._dense.renew()
        after = self.report()
        repaired = "; ".join((*words, *vectors))
        return HealthReport(after.problems, {**after.facts, "repaired": repaired} if repaired else after.facts)

    def _word_index(self) -> tuple[list[str], dict[str, str]]:
        index = self._lexical.index
        damage = index.damage(read_state(self._layout.lexical), thorough=True)
        expected = self._count_chunks()
        if damage:
            if not expected and not self._layout.lexical.exists():
                return [], {"word index": "empty"}
            return [f"the word index cannot be used: {damage}"], {}
        index.load()
        facts = {"word index": f"{index.count()} chunks, change {index.position.sequence}"}
        if index.position.sequence == self._fetch_sequence() and index.count() != expected:
            return [f"the word index holds {index.count()} chunks, the record {expected}"], facts
        return [], facts

    def _count_chunks(self) -> int:
        with self._connections.read() as db:
            return count_searchable(db)

    def _fetch_sequence(self) -> int:
        with self._connections.read() as db:
            return change_log.latest_sequence(db)


def _record_problems(db: RecordConnection) -> list[str]:
    problems = [
        f"the record is damaged: {message}" for (message,) in db.execute("PRAGMA quick_check(10)") if message != "ok"
    ]
    orphans = db.execute("PRAGMA foreign_key_check").fetchall()
    if orphans:
        problems.append(f"the record has {len(orphans)} rows that belong to nothing, the first in {orphans[0][0]}")
    return [*problems, *find_chunk_problems(db, find_active(db) or Generation(0, "", 0))]


def _record_facts(db: RecordConnection) -> dict[str, str]:
    facts = describe_record(db, find_active(db))
    version = db.execute("SELECT sqlite_version()").fetchone()[0]
    return {
        **facts,
        "record": f"{facts['record']}, change {change_log.latest_sequence(db)}",
        "schema": f"version {migrations.schema_version(db)}, SQLite {version}",
    }
