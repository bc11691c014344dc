"""A knowledge base built from an evaluation set, the same way as a user's documents."""

import hashlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
from filelock import FileLock

import ascertain
from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document, DocumentKind, document_id
from ascertain.core.errors import StoreError, UsageError
from ascertain.core.settings import Settings
from ascertain.core.settings.layers import flatten_settings
from ascertain.evaluation.sets.datasets import EvaluationSet, Query
from ascertain.models.ports import Embedder, TokenEmbedder, TokenVectors, Vectors
from ascertain.models.registry import open_embedder

# Measuring one change after another embeds the same texts again and again, so their vectors are cached between runs, in
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
        """As ``Embedder.embed_query``, computed again each time."""
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
    """``progress`` takes short lines for a status display, ``remark`` takes notes for people."""

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

    With ``cache``, document vectors are cached in that folder, and so is the home: it is reused wherever rebuilding it
    would give the same (``name_home``), and ``index_seconds`` is then the time it takes to find that out. Texts that could not be
    ingested are reported through ``listener.remark``.
    """
    documents = as_documents(data, settings.profile)
    with ExitStack() as stack:
        started = time.perf_counter()
        embedder = None
        if cache is None:
            folder = tempfile.TemporaryDirectory(prefix="ascertain-eval-", ignore_cleanup_errors=True)
            home = Path(stack.enter_context(folder))
        else:
            embedder = CachedEmbedder(open_embedder(settings.models), cache)
            stack.callback(embedder.close)
            home = cache / "homes" / name_home(data, settings)
        failures = home / _FAILURES
        if failures.is_file():
            listener.remark(f"{data.name}: the index of an earlier run is used, {home}")
            failures.touch()
        else:
            listener.progress(f"{data.name}: indexing {len(documents):,} texts")
            _build_home(home, documents.values(), settings, embedder)
        seconds = time.perf_counter() - started
        lines = failures.read_text("utf-8").splitlines()
        for line in lines[:5]:
            listener.remark(f"{data.name}: {line}")
        if len(lines) > 5:
            listener.remark(f"{data.name}: {len(lines) - 5} more texts were not ingested")
        app = stack.enter_context(Ascertain(settings.model_copy(update={"home": home}), embedder=embedder))
        yield Knowledge(
            app=app,
            corpus_ids={document.id: corpus_id for corpus_id, document in documents.items()},
            document_ids={corpus_id: document.id for corpus_id, document in documents.items()},
            texts={document.id: document.text for document in documents.values()},
            index_seconds=seconds,
        )


_FAILURES = "evaluation-failures.txt"
"""In a home that was built for an evaluation, written last: the texts that could not be ingested, a line each."""
_KEPT_DAYS = 14
"""A home that was not used for this long is removed when another is built; a set is measured again within days, or not at all."""


def _build_home(home: Path, documents: Iterable[Document], settings: Settings, embedder: Embedder | None) -> None:
    """Beside its place and then moved there, so that what is in place is whole, also where two build it at once."""
    home.parent.mkdir(parents=True, exist_ok=True)
    oldest = time.time() - _KEPT_DAYS * 86_400
    for other in home.parent.glob(f"*/{_FAILURES}"):
        if other.stat().st_mtime < oldest:
            shutil.rmtree(other.parent, ignore_errors=True)
    making = Path(tempfile.mkdtemp(prefix=f"{home.name}-", suffix=".making", dir=home.parent))
    try:
        with Ascertain(settings.model_copy(update={"home": making}), embedder=embedder) as app:
            report = app.add_documents(documents)
        lines = [f"{failure.source}: not ingested: {failure.reason}" for failure in report.failures]
        (making / _FAILURES).write_text("".join(f"{' '.join(line.split())}\n" for line in lines), "utf-8")
        if home.exists() and not (home / _FAILURES).exists():
            shutil.rmtree(home)
        with suppress(OSError):
            making.rename(home)  # fails where another run was quicker: what it built is the same
    finally:
        shutil.rmtree(making, ignore_errors=True)


def name_home(data: EvaluationSet, settings: Settings) -> str:
    """The name of the set with a hash of its texts and of all by which they are read: settings, versions, our own code."""
    total = hashlib.sha256(_describe_reading(settings).encode())
    for text in data.corpus:
        total.update(json.dumps([text.id, text.title, text.text]).encode())
    return f"{data.name}-{total.hexdigest()[:16]}"


def _describe_reading(settings: Settings) -> str:
    read_by = {key: str(value) for key, value in flatten_settings(settings).items() if key.startswith(READING)}
    return json.dumps([read_by, {name: version(name) for name in _READING_PACKAGES}, _digest_code()], sort_keys=True)


_READING_PACKAGES = ("ascertain", "faiss-cpu", "numpy", "onnxruntime", "tantivy", "tokenizers")
"""Whose versions can change what a home holds."""
_READING_CODE = ("core", "graph", "ingest", "language", "models", "profiles", "sources", "stores")
"""Parts of our package that read documents and keep them; what searches and answers is not among them."""


@lru_cache(maxsize=1)
def _digest_code() -> str:
    """Of the code that reads documents: a version says nothing while it is worked on."""
    root = Path(ascertain.__file__).parent
    files = [path for name in _READING_CODE for path in (root / name).rglob("*") if path.suffix in _CODE]
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(f"{path.relative_to(root)}\0".encode())
        total.update(path.read_bytes())
    return total.hexdigest()


_CODE = frozenset({".py", ".toml", ".json"})


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


def keep_home(folder: Path, name: str, homes: Path, settings: Settings, *, listener: Listener) -> Path:
    """The home in ``homes`` that holds the documents of ``folder``, built where it is not there (``build_once``).

    Raises UsageError where there is no such folder.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; it should hold the documents of {name}")

    def add(app: Ascertain) -> None:
        listener.remark(f"{name}: reading {folder} into {app.container.home}")
        for failure in app.add([folder], profile=settings.profile).failures:
            listener.remark(f"{name}: {failure.source}: not ingested: {failure.reason}")

    return build_once([folder], name, homes, settings, add=add)


def locate_user_cache() -> Path:
    """The cache folder of this user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ascertain"


def build_once(
    folders: Iterable[Path], name: str, homes: Path, settings: Settings, *, add: Callable[[Ascertain], None]
) -> Path:
    """The home in ``homes`` into which ``add`` has put what is in ``folders``, built where it is not there.

    Its name has a hash of the files and of all by which they are read (``name_home``), so that a home is
    reused exactly where rebuilding it would give the same. An interrupted one is rebuilt; of several processes that want
    it one builds it and the others wait.
    """
    total = hashlib.sha256(_describe_reading(settings).encode())
    total.update(digest_files(folders).encode())
    home = homes / f"{name}-{total.hexdigest()[:12]}"
    finished = home.with_suffix(".finished")
    if finished.exists():
        finished.touch()
        return home
    homes.mkdir(parents=True, exist_ok=True)
    with FileLock(home.with_suffix(".lock")):
        if not finished.exists():
            if home.exists():
                shutil.rmtree(home)
            with Ascertain(settings.model_copy(update={"home": home})) as app:
                add(app)
            finished.touch()
    return home


READING = ("ingest.", "graph.", "models.embedder", "profile", "sources.")
"""Beginnings of the settings that decide what a home holds."""


def digest_files(paths: Iterable[Path]) -> str:
    """A short hash of the content of these files and of all files in these folders."""
    total = hashlib.sha256()
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                total.update(f"{file.relative_to(path.parent)}\0{file.stat().st_size}\0".encode())
                total.update(file.read_bytes())
    return total.hexdigest()[:16]
