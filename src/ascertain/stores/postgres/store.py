"""The chunk store on PostgreSQL: the record, the vectors and the words together, and their check."""

import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.documents.documents import Document
from ascertain.core.documents.profiling import CorpusProfile
from ascertain.core.service.status import HealthReport, StoreStats
from ascertain.stores.ports.chunks import IndexedDocument, Reembedding, Vectors
from ascertain.stores.postgres import faults, record, schema, tables, tallies, vectors
from ascertain.stores.postgres.connections import Connection, Connections
from ascertain.stores.postgres.dialect import vector_table
from ascertain.stores.postgres.vectors import DenseLeg, stored_vectors
from ascertain.stores.postgres.words import counts
from ascertain.stores.postgres.words.search import LexicalLeg, settle_words
from ascertain.stores.records.documents import Prepared, check_dimension, prepare_documents
from ascertain.stores.records.vectors import Generation
from ascertain.stores.relational.reads import StoredVectors, read_stats
from ascertain.stores.relational.reembedding import find_active
from ascertain.stores.relational.store import TableChunkStore, describe_record, find_chunk_problems

# The server looks for tables that have changed once a minute; the plans for one that has grown by half may be far off
# until then. Smaller tables are read whole whatever the plan.
_CHANGED_ROWS = 1_000
_CHANGED_SHARE = 0.5


def finish_run(connections: Connections, generation: Generation) -> None:
    """Update the index of words and the planner's statistics; build the graph once there are enough vectors.

    Another process building the graph is not waited for.
    """
    connections.change(settle_words)
    with connections.read() as db:
        changed = _changed_tables(db, generation)
        is_due = vectors.is_due(db, generation, connections.settings)
    if changed:
        with connections.alone() as db:
            db.change_rows(f"ANALYZE (SKIP_LOCKED) {', '.join(changed)}")
    if is_due:
        vectors.build_graph(connections, generation)


def _changed_tables(db: Connection, generation: Generation) -> list[str]:
    found = db.fetch_rows(
        """SELECT s.relname::text FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
           WHERE s.schemaname = current_schema() AND s.relname = ANY(?)
             AND s.n_mod_since_analyze > greatest(?, ? * c.reltuples) ORDER BY s.relname""",
        *(["documents", "chunks", vector_table(generation)], _CHANGED_ROWS, _CHANGED_SHARE),
    )
    return [name for (name,) in found]


class PostgresStore(TableChunkStore[Connection]):
    """A ``ChunkStore`` in one schema of a database, made by ``opening.open_postgres``. Safe to use from threads."""

    def __init__(self, connections: Connections, generation: Generation) -> None:
        self._connections = connections
        self._dense = DenseLeg(connections, generation)
        self._lexical = LexicalLeg(connections, connections.settings.title_boost)
        self._runs = threading.local()

    @contextmanager
    def writing(self) -> Generator[None]:
        """A run of writes, beside those of others; the indexes are updated at its end."""
        depth = getattr(self._runs, "depth", 0)
        self._runs.depth = depth + 1
        try:
            yield
            if depth == 0:
                with faults.translate_errors(self._connections.place):
                    finish_run(self._connections, self._dense.generation)
        finally:
            self._runs.depth = depth

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        """Write documents, all of a call in one transaction."""
        prepared = prepare_documents(documents)
        check_dimension(prepared, self._dense.generation, self._connections.place)
        if prepared:
            with self.writing(), faults.translate_errors(self._connections.place):
                self._connections.change(lambda db: self._write_documents(db, prepared))

    def mark_failed(self, document: Document, reason: str) -> None:
        with faults.translate_errors(self._connections.place):
            self._connections.change(lambda db: record.write_failure(db, document, reason))

    def delete(self, filter: Filter) -> int:
        def work(db: Connection) -> int:
            vectors.hold_generations(db)
            return record.delete_by_filter(db, filter)

        with faults.translate_errors(self._connections.place):
            return self._connections.change(work)

    def dense(self, vector: Vectors, k: int, filter: Filter = Filter(), floor: float | None = None) -> list[Hit]:
        with faults.translate_errors(self._connections.place):
            return self._dense.hits(vector, k, filter, floor)

    def lexical(self, terms: Mapping[str, float], k: int, filter: Filter = Filter()) -> list[Hit]:
        with faults.translate_errors(self._connections.place):
            return self._lexical.hits(terms, k, filter)

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        with faults.translate_errors(self._connections.place):
            return self._dense.similarities(vector, chunk_ids)

    def lexical_scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        with faults.translate_errors(self._connections.place):
            return self._lexical.scores(terms, chunk_ids)

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        with faults.translate_errors(self._connections.place):
            return self._lexical.frequencies(terms)

    def fingerprint(self, filter: Filter = Filter()) -> str:
        with self.read_moment() as db:
            return record.compute_fingerprint(db, filter)

    def count(self, tenant: str = "default") -> int:
        with self.read_moment() as db:
            return tallies.count_chunks(db, tenant)

    def stats(self, tenant: str = "default") -> StoreStats:
        with self.read_moment() as db:
            return read_stats(
                db, tenant, find_active(db), record.bytes_on_disk(db), corpus=tallies.corpus_profile(db, tenant)
            )

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        with self.read_moment() as db:
            return tallies.corpus_profile(db, tenant)

    def check(self, repair: bool = False) -> HealthReport:
        with faults.translate_errors(self._connections.place):
            examination = Examination(self._connections, self._dense.generation)
            return examination.repair_and_report() if repair else examination.report()

    @contextmanager
    def reembed(self, embedder_name: str, dimension: int) -> Generator[Reembedding]:
        """Move to another model; searches and other writers go on."""
        with faults.translate_errors(self._connections.place):
            with tables.run_reembedding(self._connections, embedder_name, dimension) as work:
                yield work
            with self._connections.read() as db:
                self._dense.generation = find_active(db) or self._dense.generation

    def close(self) -> None:
        self._connections.close()

    @contextmanager
    def read_moment(self) -> Generator[Connection]:
        with faults.translate_errors(self._connections.place), self._connections.read() as db:
            yield db

    def read_vectors(self, db: Connection, chunk_ids: Sequence[str]) -> StoredVectors:
        """Vectors of the model in use; EmbeddingMismatch when another process has moved to another model."""
        self._dense.check_model(db)
        return stored_vectors(db, self._dense.generation, chunk_ids)

    def _write_documents(self, db: Connection, documents: Sequence[Prepared]) -> None:
        vectors.hold_generations(db)
        self._dense.check_model(db)
        record.write_documents(db, documents, self._dense.generation)


class Examination:
    """Compares what is derived with the record of one schema."""

    def __init__(self, connections: Connections, generation: Generation) -> None:
        self._connections = connections
        self._generation = generation

    def report(self) -> HealthReport:
        """The current problems, and the facts."""
        with self._connections.read() as db:
            # The examination counts everything, which may take longer than a search.
            db.execute("SET LOCAL statement_timeout = 0")
            problems = [
                *_record_problems(db, self._generation),
                *(fault.problem for fault in schema.find_faults(db)),
                *self._graph_problems(db),
            ]
            return HealthReport(tuple(problems), self._fetch_facts(db))

    def repair_and_report(self) -> HealthReport:
        """Rebuild broken parts and report again."""
        before = self.report().problems
        with self._connections.read() as db:
            missing = schema.find_faults(db)
            graph_problems = self._graph_problems(db)
        schema.cure_faults(self._connections, missing)
        tables.drop_retired_vectors(self._connections)
        self._connections.change(self._repair_record)
        if graph_problems:
            vectors.build_graph(self._connections, self._generation, again=True)
        after = self.report()
        cured = "; ".join(problem for problem in before if problem not in after.problems)
        return HealthReport(after.problems, {**after.facts, "repaired": cured} if cured else after.facts)

    def _repair_record(self, db: Connection) -> None:
        vectors.lock_generations(db)
        db.change_rows(f"DELETE FROM {vector_table(self._generation)} v WHERE {_ORPHAN}")
        if tallies.differ_from_documents(db):
            tallies.recount_tallies(db)
        if counts.differ_from_chunks(db):
            counts.recount_words(db)

    def _graph_problems(self, db: Connection) -> list[str]:
        settings = self._connections.settings
        if vectors.is_due(db, self._generation, settings):
            condition = vectors.fetch_state(db, self._generation)
            return [f"the vector index is {condition}, so searches by meaning are slow: repair builds it"]
        built, wanted = vectors.fetch_parameters(db, self._generation), vectors.wanted_parameters(settings)
        if built is not None and built != wanted:
            return [f"the vector index was built with {built}, the settings say {wanted}: repair rebuilds it"]
        return []

    def _fetch_facts(self, db: Connection) -> dict[str, str]:
        server, extension = db.fetch_rows(
            "SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        )[0]
        built = vectors.fetch_parameters(db, self._generation)
        return {
            **describe_record(db, self._generation),
            "schema": f"version {schema.stored_schema(db, self._connections.schema)}, "
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
    if tallies.differ_from_documents(db):
        problems.append("the running totals differ from the documents: repair recounts them")
    if counts.differ_from_chunks(db):
        problems.append("word counts are wrong: repair recounts them")
    damaged = _count_rows(
        db, "pg_stat_database WHERE datname = current_database()", "coalesce(sum(checksum_failures), 0)"
    )
    if damaged:
        problems.append(f"the server found {damaged} damaged pages in this database: restore it from a backup")
    return problems


def _count_rows(db: Connection, what: str, how: str = "count(*)") -> int:
    return int(db.fetch_rows(f"SELECT {how} FROM {what}")[0][0])
