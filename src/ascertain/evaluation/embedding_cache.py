"""An embedder that remembers document vectors between runs.

Measuring one change after another embeds the same texts again and again; this keeps their vectors in one SQLite file
for each model, keyed by the text's hash. Queries are never cached: their time is what is measured.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ascertain.core.errors import StoreError
from ascertain.models.ports import Embedder, TokenEmbedder, TokenVectors, Vectors

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
            self._keep(dict(zip(missing, computed, strict=True)))
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

    def _keep(self, vectors: dict[bytes, Vectors]) -> None:
        rows = [(key, vector.astype(np.float32).tobytes()) for key, vector in vectors.items()]
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        self._database.execute("COMMIT")
