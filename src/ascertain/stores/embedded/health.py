"""The examination behind ``ascertain doctor``."""

from __future__ import annotations

import shutil

from ascertain.stores.embedded import change_log, migrations, reads, reembedding
from ascertain.stores.embedded.connections import Connections
from ascertain.stores.embedded.dense_search import DenseSearch
from ascertain.stores.embedded.derived_state import read_state
from ascertain.stores.embedded.dialect import RecordConnection
from ascertain.stores.embedded.layout import Layout
from ascertain.stores.embedded.lexical_leg import LexicalLeg
from ascertain.stores.ports import HealthReport
from ascertain.stores.relational.generations import find_active, find_building

_LOW_DISK_BYTES = 200_000_000


class Examination:
    """Compares the derived indexes with the record of one home."""

    def __init__(
        self, layout: Layout, connections: Connections, lexical: LexicalLeg, dense: DenseSearch
    ) -> None:
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

    def repaired(self) -> HealthReport:
        """Rebuild what is wrong and report again; the caller holds the writer's lock."""
        reembedding.clean(self._connections)
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
        return HealthReport(
            after.problems, {**after.facts, "repaired": repaired} if repaired else after.facts
        )

    def _word_index(self) -> tuple[list[str], dict[str, str]]:
        index = self._lexical.index
        damage = index.damage(read_state(self._layout.lexical), thorough=True)
        expected = self._count()
        if damage:
            if not expected and not self._layout.lexical.exists():
                return [], {"word index": "empty"}
            return [f"the word index cannot be used: {damage}"], {}
        index.load()
        facts = {"word index": f"{index.count()} chunks, change {index.position.sequence}"}
        if index.position.sequence == self._latest() and index.count() != expected:
            return [f"the word index holds {index.count()} chunks, the record {expected}"], facts
        return [], facts

    def _count(self) -> int:
        with self._connections.read() as db:
            return reads.count_searchable(db)

    def _latest(self) -> int:
        with self._connections.read() as db:
            return change_log.latest_sequence(db)


def _record_problems(db: RecordConnection) -> list[str]:
    problems = [
        f"the record is damaged: {message}"
        for (message,) in db.execute("PRAGMA quick_check(10)")
        if message != "ok"
    ]
    orphans = db.execute("PRAGMA foreign_key_check").fetchall()
    if orphans:
        problems.append(
            f"the record has {len(orphans)} rows that belong to nothing, the first in {orphans[0][0]}"
        )
    active = find_active(db)
    missing = db.execute(
        """SELECT count(*) FROM chunks c WHERE c.is_parent = 0
           AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.row = c.row AND v.generation = ?)""",
        (active.number if active else 0,),
    ).fetchone()[0]
    if missing:
        problems.append(f"{missing} chunks have no vector: add their documents again")
    counted, stored = db.execute(
        """SELECT (SELECT coalesce(sum(chunks), 0) FROM documents),
                  (SELECT count(*) FROM chunks WHERE is_parent = 0)"""
    ).fetchone()
    if counted != stored:
        problems.append(f"documents claim {counted} chunks, {stored} are stored")
    return problems


def _record_facts(db: RecordConnection) -> dict[str, str]:
    version = db.execute("SELECT sqlite_version()").fetchone()[0]
    active = find_active(db)
    documents = db.execute("SELECT count(*) FROM documents").fetchone()[0]
    chunks = db.execute("SELECT count(*) FROM chunks WHERE is_parent = 0").fetchone()[0]
    facts = {
        "record": f"{documents} documents, {chunks} chunks, change {change_log.latest_sequence(db)}",
        "schema": f"version {migrations.schema_version(db)}, SQLite {version}",
    }
    if active is not None:
        facts["embedding model"] = f"{active.model}, {active.dimension} dimensions"
    building = find_building(db)
    if building is not None:
        facts["unfinished reindex"] = f"to {building.model}: run `ascertain reindex` to go on"
    return facts
