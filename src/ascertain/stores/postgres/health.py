"""The examination behind ``ascertain doctor`` for a store on PostgreSQL."""

from __future__ import annotations

from ascertain.stores.generations import Generation
from ascertain.stores.ports import HealthReport
from ascertain.stores.postgres import (
    generations,
    graph,
    migrations,
    reads,
    reembedding,
    schema_objects,
    tallies,
    words_counting,
)
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.dialect import vector_table
from ascertain.stores.postgres.text import statement
from ascertain.stores.relational.health import describe_record, find_chunk_problems


class Examination:
    """Compares what is derived with the record of one schema."""

    def __init__(self, connections: Connections, generation: Generation) -> None:
        self._connections = connections
        self._generation = generation

    def report(self) -> HealthReport:
        """What is wrong now, and the facts."""
        with self._connections.read() as db:
            # The examination counts everything, which may take longer than a search.
            db.execute("SET LOCAL statement_timeout = 0")
            problems = [
                *_record_problems(db, self._generation),
                *(fault.problem for fault in schema_objects.faults(db)),
                *self._graph_problems(db),
            ]
            return HealthReport(tuple(problems), self._facts(db))

    def repaired(self) -> HealthReport:
        """Rebuild what is wrong and report again."""
        before = self.report().problems
        with self._connections.read() as db:
            missing = schema_objects.faults(db)
            graph_problems = self._graph_problems(db)
        schema_objects.cure(self._connections, missing)
        reembedding.clean(self._connections)
        self._connections.change(self._repair_record)
        if graph_problems:
            graph.build(self._connections, self._generation, anew=True)
        after = self.report()
        cured = "; ".join(problem for problem in before if problem not in after.problems)
        return HealthReport(after.problems, {**after.facts, "repaired": cured} if cured else after.facts)

    def _repair_record(self, db: Connection) -> None:
        generations.change(db)
        db.execute(statement(f"DELETE FROM {vector_table(self._generation)} v WHERE {_ORPHAN}"))
        if tallies.are_wrong(db):
            tallies.recount(db)
        if words_counting.are_wrong(db):
            words_counting.recount(db)

    def _graph_problems(self, db: Connection) -> list[str]:
        settings = self._connections.settings
        if graph.is_due(db, self._generation, settings):
            condition = graph.state(db, self._generation)
            return [f"the vector index is {condition}, so searches by meaning are slow: repair builds it"]
        built, wanted = graph.parameters(db, self._generation), graph.wanted_parameters(settings)
        if built is not None and built != wanted:
            return [
                f"the vector index was built with {built}, the settings say {wanted}: repair builds it anew"
            ]
        return []

    def _facts(self, db: Connection) -> dict[str, str]:
        versions = db.execute(
            "SELECT current_setting('server_version'), "
            "(SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        ).fetchone()
        server, extension = versions or ("", "")
        built = graph.parameters(db, self._generation)
        return {
            **describe_record(db, self._generation),
            "schema": f"version {migrations.schema_version(db, self._connections.schema)}, "
            f"PostgreSQL {server}, pgvector {extension}",
            "vector index": f"graph ({built})" if built else "exact",
            "size": f"{reads.bytes_on_disk(db) / 1e6:.0f} MB",
        }


_ORPHAN = 'NOT EXISTS (SELECT 1 FROM chunks c WHERE c.document = v.document AND c."row" = v."row")'


def _record_problems(db: Connection, generation: Generation) -> list[str]:
    problems = find_chunk_problems(db, generation)
    orphans = _count(db, f"{vector_table(generation)} v WHERE {_ORPHAN}")
    if orphans:
        problems.append(f"{orphans} vectors belong to no chunk: repair deletes them")
    without_words = _count(db, "chunks WHERE words IS NULL AND NOT is_parent")
    if without_words:
        problems.append(f"{without_words} chunks cannot be found by words: run `ascertain db upgrade`")
    if tallies.are_wrong(db):
        problems.append("the running totals differ from the documents: repair counts them anew")
    if words_counting.are_wrong(db):
        problems.append("words are not counted rightly: repair counts them anew")
    damaged = _count(
        db, "pg_stat_database WHERE datname = current_database()", "coalesce(sum(checksum_failures), 0)"
    )
    if damaged:
        problems.append(
            f"the server found {damaged} damaged pages in this database: restore it from a backup"
        )
    return problems


def _count(db: Connection, what: str, how: str = "count(*)") -> int:
    row = db.execute(statement(f"SELECT {how} FROM {what}")).fetchone()
    return int(row[0]) if row else 0
