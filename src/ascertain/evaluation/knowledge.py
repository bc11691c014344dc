"""A knowledge base built from an evaluation set, through the door a user's documents take."""

import hashlib
import re
import sqlite3
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ascertain.app.ascertain import Ascertain
from ascertain.core.documents import Document, DocumentKind, document_id
from ascertain.core.errors import StoreError
from ascertain.core.passages import Filter
from ascertain.core.settings import Settings
from ascertain.evaluation.datasets import EvaluationSet, Query
from ascertain.models.ports import Embedder, TokenEmbedder, TokenVectors, Vectors
from ascertain.models.registry import open_embedder

# Measuring one change after another embeds the same texts again and again, so their vectors are kept between runs, in
# one SQLite file for each model, keyed by the text's hash. Queries are never cached: their time is what is measured.

_LOOKUP = 500
"""Keys in one query; SQLite takes at most 32,766 parameters, and 999 before 3.32."""


class CachedEmbedder:
    """Wraps an embedder; same vectors, computed once for each text."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        """Opens or creates the cache in ``folder``; raises StoreError when that cannot be done."""
        self._inner = inner
        path = folder / (re.sub(r"[^\w.-]+", "_", inner.name) + ".sqlite")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
            )
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"{path}: the embedding cache cannot be opened: {error}; delete it or name another"
            ) from error

    @property
    def name(self) -> str:
        """The wrapped embedder's name."""
        return self._inner.name

    @property
    def dimension(self) -> int:
        """The wrapped embedder's dimension."""
        return self._inner.dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As ``Embedder.embed_documents``; only texts never seen before reach the model."""
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        known = self._look_up(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            computed = self._inner.embed_documents(list(missing.values()))
            known.update(zip(missing, computed, strict=True))
            self._keep_vectors(dict(zip(missing, computed, strict=True)))
        rows = [known[key] for key in keys]
        return np.stack(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)

    def embed_tokens(self, texts: Sequence[str]) -> list[TokenVectors] | None:
        """As ``TokenEmbedder.embed_tokens``, never cached; None when the wrapped embedder has none."""
        return self._inner.embed_tokens(texts) if isinstance(self._inner, TokenEmbedder) else None

    def embed_query(self, text: str) -> Vectors:
        """As ``Embedder.embed_query``, computed anew each time."""
        return self._inner.embed_query(text)

    def close(self) -> None:
        """Close the cache file."""
        self._database.close()

    def _look_up(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        for start in range(0, len(keys), _LOOKUP):
            part = keys[start : start + _LOOKUP]
            marks = ",".join("?" * len(part))
            rows: list[tuple[bytes, bytes]] = self._database.execute(
                f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part
            ).fetchall()
            found.update((key, np.frombuffer(vector, dtype=np.float32)) for key, vector in rows)
        return found

    def _keep_vectors(self, vectors: dict[bytes, Vectors]) -> None:
        rows = [(key, vector.astype(np.float32).tobytes()) for key, vector in vectors.items()]
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        self._database.execute("COMMIT")


Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Listener:
    """``progress`` takes short lines for a status display, ``remark`` what people should know beside the numbers."""

    progress: Say
    remark: Say


@dataclass(frozen=True, slots=True)
class Knowledge:
    """An open knowledge base and how its documents map to the set's texts.

    ``corpus_ids`` maps document id to corpus id and ``document_ids`` back; ``texts`` maps a document id to the text that
    was handed in: what quotations are checked against.
    """

    app: Ascertain
    corpus_ids: Mapping[str, str]
    document_ids: Mapping[str, str]
    texts: Mapping[str, str]
    index_seconds: float

    def limits(self, query: Query) -> Filter:
        """Only the documents that the query is asked of; all when it names none."""
        return Filter(document_ids=tuple(self.document_ids[corpus_id] for corpus_id in query.documents))


@contextmanager
def open_knowledge(
    data: EvaluationSet, settings: Settings, cache: Path | None, listener: Listener
) -> Generator[Knowledge]:
    """Index ``data`` into a temporary home, deleted at the end.

    With ``cache``, document vectors are kept in and taken from that folder; ``index_seconds`` then leaves out what
    was not computed anew. Texts that could not be ingested are reported through ``listener.remark``.
    """
    documents = as_documents(data, settings.profile)
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory(prefix="ascertain-eval-", ignore_cleanup_errors=True))
        embedder = None
        if cache is not None:
            embedder = CachedEmbedder(open_embedder(settings.models), cache)
            stack.callback(embedder.close)
        app = stack.enter_context(Ascertain(settings.model_copy(update={"home": Path(home)}), embedder=embedder))
        listener.progress(f"{data.name}: indexing {len(documents):,} texts")
        started = time.perf_counter()
        report = app.add_documents(documents.values())
        seconds = time.perf_counter() - started
        for failure in report.failures[:5]:
            listener.remark(f"{data.name}: {failure.source}: not ingested: {failure.reason}")
        if len(report.failures) > 5:
            listener.remark(f"{data.name}: {len(report.failures) - 5} more texts were not ingested")
        yield Knowledge(
            app=app,
            corpus_ids={document.id: corpus_id for corpus_id, document in documents.items()},
            document_ids={corpus_id: document.id for corpus_id, document in documents.items()},
            texts={document.id: document.text for document in documents.values()},
            index_seconds=seconds,
        )


def as_documents(data: EvaluationSet, profile: str) -> dict[str, Document]:
    """A document for each text of the set, by corpus id."""
    return {
        text.id: Document(
            id=document_id(f"eval/{data.name}/{text.id}"),
            text=text.text,
            title=text.title,
            kind=DocumentKind.PROSE,
            source=f"eval/{data.name}/{text.id}",
            profile=profile,
        )
        for text in data.corpus
    }
