"""The examination behind ``ascertain doctor`` for a store on PostgreSQL."""

from __future__ import annotations

from ascertain.core.status import HealthReport
from ascertain.stores.postgres import migrations, record, schema_database, tallies, vectors
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.dialect import encode_sql, vector_table
from ascertain.stores.postgres.words import filling
from ascertain.stores.preparation import Generation
from ascertain.stores.relational.store import describe_record, find_chunk_problems


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
                *(fault.problem for fault in migrations.find_faults(db)),
                *self._graph_problems(db),
            ]
            return HealthReport(tuple(problems), self._fetch_facts(db))

    def repair_and_report(self) -> HealthReport:
        """Rebuild what is wrong and report again."""
        before = self.report().problems
        with self._connections.read() as db:
            missing = migrations.find_faults(db)
            graph_problems = self._graph_problems(db)
        migrations.cure_faults(self._connections, missing)
        schema_database.drop_retired_vectors(self._connections)
        self._connections.change(self._repair_record)
        if graph_problems:
            vectors.build_graph(self._connections, self._generation, anew=True)
        after = self.report()
        cured = "; ".join(problem for problem in before if problem not in after.problems)
        return HealthReport(after.problems, {**after.facts, "repaired": cured} if cured else after.facts)

    def _repair_record(self, db: Connection) -> None:
        vectors.lock_generations(db)
        db.execute(encode_sql(f"DELETE FROM {vector_table(self._generation)} v WHERE {_ORPHAN}"))
        if tallies.are_wrong(db):
            tallies.recount_tallies(db)
        if filling.are_wrong(db):
            filling.recount_words(db)

    def _graph_problems(self, db: Connection) -> list[str]:
        settings = self._connections.settings
        if vectors.is_due(db, self._generation, settings):
            condition = vectors.fetch_state(db, self._generation)
            return [f"the vector index is {condition}, so searches by meaning are slow: repair builds it"]
        built, wanted = vectors.fetch_parameters(db, self._generation), vectors.wanted_parameters(settings)
        if built is not None and built != wanted:
            return [f"the vector index was built with {built}, the settings say {wanted}: repair builds it anew"]
        return []

    def _fetch_facts(self, db: Connection) -> dict[str, str]:
        versions = db.execute(
            "SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        ).fetchone()
        server, extension = versions or ("", "")
        built = vectors.fetch_parameters(db, self._generation)
        return {
            **describe_record(db, self._generation),
            "schema": f"version {migrations.schema_version(db, self._connections.schema)}, "
            f"PostgreSQL {server}, pgvector {extension}",
            "vector index": f"graph ({built})" if built else "exact",
            "size": f"{record.bytes_on_disk(db) / 1e6:.0f} MB",
        }


_ORPHAN = 'NOT EXISTS (SELECT 1 FROM chunks c WHERE c.document = v.document AND c."row" = v."row")'


def _record_problems(db: Connection, generation: Generation) -> list[str]:
    problems = find_chunk_problems(db, generation)
    orphans = _count_rows(db, f"{vector_table(generation)} v WHERE {_ORPHAN}")
    if orphans:
        problems.append(f"{orphans} vectors belong to no chunk: repair deletes them")
    without_words = _count_rows(db, "chunks WHERE words IS NULL AND NOT is_parent")
    if without_words:
        problems.append(f"{without_words} chunks cannot be found by words: run `ascertain db upgrade`")
    if tallies.are_wrong(db):
        problems.append("the running totals differ from the documents: repair counts them anew")
    if filling.are_wrong(db):
        problems.append("words are not counted rightly: repair counts them anew")
    damaged = _count_rows(
        db, "pg_stat_database WHERE datname = current_database()", "coalesce(sum(checksum_failures), 0)"
    )
    if damaged:
        problems.append(f"the server found {damaged} damaged pages in this database: restore it from a backup")
    return problems


def _count_rows(db: Connection, what: str, how: str = "count(*)") -> int:
    row = db.execute(encode_sql(f"SELECT {how} FROM {what}")).fetchone()
    return int(row[0]) if row else 0
