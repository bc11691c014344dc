"""Everything that the rest of the code needs from a store, built on the nine methods of ``ChunkStore``.

Slow but right: each method reads whole documents or the records of all of them. Where a store has a method of the same
name, that is called instead.
"""

import threading
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ascertain.core.asking.passages import Filter, Hit
from ascertain.core.documents.documents import Chunk, Document, DocumentRecord, DocumentState
from ascertain.core.documents.profiling import CorpusProfile
from ascertain.core.errors import StoreError
from ascertain.core.service.status import HealthReport, StoreStats
from ascertain.stores.embedded.home import measure_folder
from ascertain.stores.ports.chunks import ChunkStore, CompleteStore, IndexedDocument, Reembedding, Vectors
from ascertain.stores.records import encoding
from ascertain.stores.records.documents import Prepared, matches_chunk, most_similar, prepare_documents
from ascertain.stores.records.text_analysis import WordIndex, build_analyzer, query_terms, weighted_terms
from ascertain.stores.records.vectors import Generation, mismatch_error, query_vector

_OPTIONAL = tuple(name for name in dir(CompleteStore) if not name.startswith("_") and name not in vars(ChunkStore))


def complete_store(store: ChunkStore, model: tuple[str, int], home: Path) -> CompleteStore:
    """``store`` itself where it has everything; otherwise with the defaults for what it lacks.

    ``model`` is the name and dimension it was opened for.
    """
    return store if isinstance(store, CompleteStore) else StoreWithDefaults(store, model, home)


class StoreWithDefaults:
    """A ``CompleteStore`` over any ``ChunkStore``: methods of its own where it has them, those below where not.

    Also spares the store what every store would have to check: it is given documents that hold together, unit vectors
    of its dimension, and no call after it was closed.
    """

    def __init__(self, store: ChunkStore, model: tuple[str, int], home: Path) -> None:
        self._store: ChunkStore | None = store
        self._model = model
        self._home = home
        self._lock = threading.Lock()
        self._analyzer = build_analyzer()
        self._words: dict[str, tuple[str, WordIndex]] = {}
        self._signatures: dict[tuple[str, str], bytes | None] = {}
        for name in _OPTIONAL:
            if own := getattr(store, name, None):
                setattr(self, name, own)

    def upsert(self, documents: Sequence[IndexedDocument]) -> None:
        _, dimension = self._model
        checked = prepare_documents(documents)
        for each in checked:
            if len(each.vectors) and each.vectors.shape[-1] != dimension:
                raise self._mismatch_error(each.vectors.shape[-1])
        if checked:
            self._open_store.upsert([_to_document(each, dimension) for each in checked])

    def delete(self, filter: Filter) -> int:
        """See ``ChunkStore.delete``; the oldest duplicate of a deleted document becomes the original of the others."""
        gone = {record.id for record in self.documents(filter)}
        deleted = self._open_store.delete(filter)
        orphans: dict[str, list[DocumentRecord]] = {}
        for record in self.documents(Filter(tenant=filter.tenant)) if gone else ():
            if record.duplicate_of in gone:
                orphans.setdefault(record.duplicate_of or "", []).append(record)
        for duplicates in orphans.values():
            heir, *others = sorted(duplicates, key=lambda record: record.added_at)
            state = DocumentState.INDEXED if heir.state is DocumentState.DUPLICATE else heir.state
            self._relink_duplicates([heir], state=state, reason="", duplicate_of=None)
            self._relink_duplicates(others, duplicate_of=heir.id)
        return deleted

    def dense(self, vector: Vectors, k: int, filter: Filter = Filter(), floor: float | None = None) -> list[Hit]:
        query = query_vector(vector, self._model[1])
        if query is None:
            raise self._mismatch_error(np.asarray(vector).size)
        return self._open_store.dense(query, k, filter, floor) if k > 0 else []

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        return self._open_store.get(chunk_ids) if chunk_ids else []

    def export(self, document_ids: Sequence[str]) -> list[IndexedDocument]:
        found = self._open_store.export(document_ids)
        return [each for each in found if each.chunks or each.state is not DocumentState.FAILED]

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        return self._open_store.documents(filter)

    def tenants(self) -> list[str]:
        return self._open_store.tenants()

    @contextmanager
    def reembed(self, embedder_name: str, dimension: int) -> Generator[Reembedding]:
        with self._open_store.reembed(embedder_name, dimension) as work:
            yield work
        self._model = embedder_name, dimension

    def close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def writing(self) -> AbstractContextManager[None]:
        """Nothing is locked: each write is separate."""
        return nullcontext()

    def mark_failed(self, document: Document, reason: str) -> None:
        """Written as a document in that state, without chunks where there is no earlier version."""
        nothing = np.empty((0, self._model[1]), np.float32)
        earlier = self.export([document.id]) or [IndexedDocument(document, (), nothing)]
        self.upsert([replace(earlier[0], state=DocumentState.FAILED, reason=reason)])

    def lexical(self, terms: Mapping[str, float], k: int, filter: Filter = Filter()) -> list[Hit]:
        units = weighted_terms(self._analyzer, terms)
        if not units or k < 1:
            return []
        index = self._index_words(filter.tenant)
        scores = index.score_chunks(units)
        if not filter.is_unrestricted:
            owners = {record.id for record in self.documents(filter)}
            chunks = {chunk.id for chunk in self.iterate_chunks(filter)} if filter.names_chunks else scores.keys()
            scores = {name: scores[name] for name in scores.keys() & chunks if index.documents[name] in owners}
        hits = (Hit(name, score) for name, score in scores.items())
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:k]

    def lexical_scores(self, terms: Mapping[str, float], chunk_ids: Sequence[str]) -> dict[str, float]:
        units = weighted_terms(self._analyzer, terms)
        found: dict[str, float] = {}
        for tenant in {chunk.tenant for chunk in self.get(chunk_ids)} if units else ():
            scores = self._index_words(tenant).score_chunks(units)
            found |= {name: scores[name] for name in scores.keys() & set(chunk_ids)}
        return found

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Of a term with several units, the rarest one's count."""
        indexes = [self._index_words(tenant) for tenant in self.tenants()]
        return {
            term: min(
                (sum(index.count_chunks(unit) for index in indexes) for unit in query_terms(self._analyzer, term)),
                default=0,
            )
            for term in terms
        }

    def similarities(self, vector: Vectors, chunk_ids: Sequence[str]) -> dict[str, float]:
        """By a search among the named chunks."""
        by_tenant: dict[str, list[str]] = {}
        for chunk in self.get(chunk_ids):
            by_tenant.setdefault(chunk.tenant, []).append(chunk.id)
        return {
            hit.chunk_id: hit.score
            for tenant, ids in by_tenant.items()
            for hit in self.dense(vector, len(ids), Filter(chunk_ids=tuple(ids), tenant=tenant))
        }

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        owners = dict.fromkeys(chunk.document_id for chunk in self.get(chunk_ids))
        found: dict[str, Vectors] = {}
        for document in self.export(list(owners)) if owners else ():
            found |= zip((chunk.id for chunk in _searchable_chunks(document)), document.vectors, strict=True)
        unknown = [chunk_id for chunk_id in chunk_ids if chunk_id not in found]
        if unknown:
            raise StoreError(f"no vector is stored for the chunk {unknown[0]}: it does not exist or is a parent")
        rows = [found[chunk_id] for chunk_id in chunk_ids]
        return np.array(rows, np.float32).reshape(len(rows), self._model[1])

    def document(self, document_id: str) -> Document | None:
        found = self.export([document_id])
        return found[0].document if found else None

    def neighbours(self, chunk_id: str, before: int, after: int) -> list[Chunk]:
        return [
            chunk
            for centre in self.get([chunk_id])
            for document in self.export([centre.document_id])
            for chunk in sorted(_searchable_chunks(document), key=lambda chunk: chunk.index)
            if not centre.is_parent and centre.index - before <= chunk.index <= centre.index + after
        ]

    def iterate_chunks(self, filter: Filter = Filter()) -> Iterator[Chunk]:
        for record in self.documents(filter):
            for document in self.export([record.id]) if record.chunks else ():
                chunks = sorted(_searchable_chunks(document), key=lambda chunk: chunk.index)
                yield from (chunk for chunk in chunks if matches_chunk(chunk, filter))

    def near_duplicates(self, signature: bytes, threshold: float, tenant: str = "default") -> list[tuple[str, float]]:
        """Against every signature, each read once."""
        versions = {record.id: (record.id, record.content_hash) for record in self._read_records(tenant)}
        for name in [name for name, version in versions.items() if version not in self._signatures]:
            for document in self.export([name]):
                self._signatures[versions[name]] = document.signature
        candidates = ((name, self._signatures.get(version)) for name, version in versions.items())
        return most_similar(signature, ((name, other) for name, other in candidates if other), threshold)

    def fingerprint(self, filter: Filter = Filter()) -> str:
        searchable = (record for record in self.documents(filter) if record.chunks)
        return encoding.format_fingerprint(
            sum(encoding.version_number(record.id, record.content_hash) for record in searchable)
        )

    def known(self, tenant: str = "default") -> dict[str, str]:
        records = self.documents(Filter(tenant=tenant))
        return {each.id: each.content_hash for each in records if each.state is not DocumentState.FAILED}

    def count(self, tenant: str = "default") -> int:
        return sum(record.chunks for record in self.documents(Filter(tenant=tenant)))

    def stats(self, tenant: str = "default") -> StoreStats:
        """From the records; the size is that of the home."""
        records = self._read_records(tenant)
        moments = sorted(record.published_at for record in records if record.published_at)
        return StoreStats(
            documents=len(records),
            chunks=sum(record.chunks for record in records),
            by_kind=_count_values(str(record.kind) for record in records),
            by_profile=_count_values(record.profile for record in records),
            by_state=_count_values(str(each.state) for each in self.documents(Filter(tenant=tenant))),
            embedding_model=self._model[0],
            dimension=self._model[1],
            bytes_on_disk=measure_folder(self._home),
            earliest=moments[0].isoformat() if moments else None,
            latest=moments[-1].isoformat() if moments else None,
            corpus=self.corpus_profile(tenant),
        )

    def corpus_profile(self, tenant: str = "default") -> CorpusProfile:
        profiles = (record.document_profile for record in self._read_records(tenant))
        return CorpusProfile.of(profile for profile in profiles if profile)

    def check(self, repair: bool = False) -> HealthReport:
        """Whether every document has the chunks that its record counts."""
        problems: list[str] = []
        documents = chunks = 0
        for tenant in self.tenants():
            for record in self._read_records(tenant):
                found = sum(len(list(_searchable_chunks(document))) for document in self.export([record.id]))
                documents, chunks = documents + 1, chunks + found
                if found != record.chunks:
                    problems.append(f"{record.source} has {found} of {record.chunks} chunks; add it again")
        return HealthReport(tuple(problems), {"documents": f"{documents:,}", "chunks": f"{chunks:,}"})

    @property
    def _open_store(self) -> ChunkStore:
        if self._store is None:
            raise StoreError(f"the knowledge base of {self._home} was closed; open it again")
        return self._store

    def _mismatch_error(self, dimension: int) -> StoreError:
        return mismatch_error(self._home, Generation(0, *self._model), "the model in use", dimension)

    def _relink_duplicates(self, records: Sequence[DocumentRecord], **changes: object) -> None:
        found = self.export([record.id for record in records]) if records else []
        self.upsert([replace(document, **changes) for document in found])  # pyright: ignore[reportArgumentType]

    def _read_records(self, tenant: str) -> list[DocumentRecord]:
        """All but those that failed before there was anything of them."""
        records = self.documents(Filter(tenant=tenant))
        return [each for each in records if each.chunks or each.state is not DocumentState.FAILED]

    def _index_words(self, tenant: str) -> WordIndex:
        everything = Filter(tenant=tenant)
        now = self.fingerprint(everything)
        with self._lock:
            before, index = self._words.get(tenant, ("", None))
            if index is None or before != now:
                index = WordIndex(self._analyzer, self.iterate_chunks(everything))
                self._words[tenant] = now, index
            return index


def _to_document(checked: Prepared, dimension: int) -> IndexedDocument:
    vectors = checked.vectors.astype(np.float32).reshape(-1, dimension)
    return replace(checked.source, vectors=vectors, added_at=checked.source.added_at or datetime.now(UTC))


def _searchable_chunks(document: IndexedDocument) -> Iterable[Chunk]:
    return (chunk for chunk in document.chunks if not chunk.is_parent)


def _count_values(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
