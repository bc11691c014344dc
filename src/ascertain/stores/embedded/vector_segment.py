"""A segment: vectors of some rows, immutable, searched by FAISS.

Vectors are float16 (scalar quantizer), compared by inner product in float32. A segment is flat, or has an HNSW graph
over its vectors as well (Malkov & Yashunin 2018).
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ascertain.stores.embedded.change_log import Half, RowNumbers
from ascertain.stores.ports import Vectors

Mask = NDArray[np.bool_]
Found = tuple[NDArray[np.float32], RowNumbers]

# FAISS has no types: everything that touches it is in this module.
_faiss: Any = importlib.import_module("faiss")

HNSW_LINKS = 32
HNSW_BUILD_EFFORT = 40
# Smaller scans are not worth a second thread; masked ones below _GATHER positions not even FAISS's loop.
_SPLIT_FROM = 20_000
_GATHER = 512
# Below this share of allowed positions the graph loses recall and a scan of the allowed ones is as fast.
_GRAPH_SHARE = 0.15
_NO_FOUND: Found = (np.empty(0, np.float32), np.empty(0, np.int64))


class Workers:
    """Threads that each run one FAISS call. FAISS itself gives a single query only one thread."""

    def __init__(self) -> None:
        # Follows OMP_NUM_THREADS, as FAISS does.
        self.count = int(_faiss.omp_get_max_threads())
        self.pool = ThreadPoolExecutor(self.count, "ascertain-vectors", initializer=_single_threaded)

    def close(self) -> None:
        """End the threads."""
        self.pool.shutdown()


def _single_threaded() -> None:
    _faiss.omp_set_num_threads(1)


@dataclass(frozen=True, slots=True)
class Segment:
    """``rows`` ascending, one per position; ``codes`` the vectors, shape ``(n, dimension)``, a view into ``index``."""

    rows: RowNumbers
    codes: Half
    index: Any
    has_graph: bool

    def __len__(self) -> int:
        return len(self.rows)

    def search(self, query: Vectors, k: int, allowed: Mask | None, effort: int, workers: Workers) -> Found:
        """Scores and rows of the best ``k`` among the positions ``allowed`` (None: all), in no particular order.

        ``effort`` is the length of the candidate list of a graph search (efSearch).
        """
        count = len(self) if allowed is None else int(np.count_nonzero(allowed))
        if count == 0 or k < 1:
            return _NO_FOUND
        if allowed is not None and count <= _GATHER:
            return self._gather(query, np.flatnonzero(allowed))
        share = count / len(self)
        if self.has_graph and share >= _GRAPH_SHARE:
            # Only allowed positions fill the graph search's list, so it has to be longer.
            return self._graph(query, k, allowed, int(effort / share))
        return self._scan(query, k, allowed, workers)

    def positions(self, rows: RowNumbers) -> tuple[RowNumbers, RowNumbers]:
        """Which of ``rows`` are here: their places in ``rows`` and their positions."""
        places = np.searchsorted(self.rows, rows)
        inside = places < len(self)
        inside[inside] = self.rows[places[inside]] == rows[inside]
        return np.flatnonzero(inside), places[inside]

    def scores(self, query: Vectors, positions: RowNumbers) -> NDArray[np.float32]:
        """Inner products with the vectors at ``positions``."""
        return self.codes[positions].astype(np.float32) @ query

    def _gather(self, query: Vectors, positions: RowNumbers) -> Found:
        return self.scores(query, positions), self.rows[positions]

    def _graph(self, query: Vectors, k: int, allowed: Mask | None, effort: int) -> Found:
        bits, selector = _selector(allowed)
        parameters = _faiss.SearchParametersHNSW(efSearch=max(effort, k), sel=selector)
        found = self._call(self.index, query, k, parameters)
        del bits
        return found

    def _scan(self, query: Vectors, k: int, allowed: Mask | None, workers: Workers) -> Found:
        ways = workers.count if len(self) >= _SPLIT_FROM else 1
        bounds = np.linspace(0, len(self), ways + 1).astype(int).tolist()
        flat = _flat(self.index) if self.has_graph else self.index
        bits, selector = _selector(allowed)

        def part(start: int, end: int) -> Found:
            span = _faiss.IDSelectorRange(start, end)
            both = span if selector is None else _faiss.IDSelectorAnd(span, selector)
            return self._call(flat, query, k, _faiss.SearchParameters(sel=both))

        parts = [workers.pool.submit(part, start, end) for start, end in itertools.pairwise(bounds)]
        found = [each.result() for each in parts]
        del bits
        return np.concatenate([scores for scores, _ in found]), np.concatenate([rows for _, rows in found])

    def _call(self, index: Any, query: Vectors, k: int, parameters: Any) -> Found:
        k = min(k, len(self))
        scores, positions = index.search(query.reshape(1, -1), k, params=parameters)
        here = positions[0] >= 0
        return cast(NDArray[np.float32], scores[0][here]), self.rows[positions[0][here]]


def flat_segment(rows: RowNumbers, vectors: Half) -> Segment:
    """A segment that is searched by comparing every vector."""
    dimension = vectors.shape[1]
    index = _faiss.IndexScalarQuantizer(
        dimension, _faiss.ScalarQuantizer.QT_fp16, _faiss.METRIC_INNER_PRODUCT
    )
    _add(index, vectors)
    return Segment(rows, _codes(index, dimension), index, has_graph=False)


def graph_segment(rows: RowNumbers, vectors: Half, base: Segment | None = None) -> Segment:
    """A segment with a graph; on top of ``base``, which must not be mapped from a file and is used up."""
    dimension = vectors.shape[1]
    if base is None:
        index = _faiss.IndexHNSWSQ(
            dimension, _faiss.ScalarQuantizer.QT_fp16, HNSW_LINKS, _faiss.METRIC_INNER_PRODUCT
        )
        index.hnsw.efConstruction = HNSW_BUILD_EFFORT
    else:
        index = base.index
        rows = np.concatenate([base.rows, rows])
    _add(index, vectors)
    return Segment(rows, _codes(_flat(index), dimension), index, has_graph=True)


def write_segment(segment: Segment, path: Path) -> None:
    """Write the FAISS part of a segment."""
    _faiss.write_index(segment.index, str(path))


def read_segment(path: Path, rows: RowNumbers, dimension: int, mapped: bool) -> Segment:
    """Read a segment; ``mapped`` leaves the vectors in the file, shared by all processes that read it.

    Raises ValueError when the file does not fit ``rows`` and ``dimension``.
    """
    try:
        index = _faiss.read_index(str(path), _faiss.IO_FLAG_MMAP_IFC if mapped else 0)
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    has_graph = isinstance(index, _faiss.IndexHNSW)
    flat = _flat(index) if has_graph else index
    if index.ntotal != len(rows) or flat.d != dimension or flat.ntotal != len(rows):
        raise ValueError(f"{path} holds {index.ntotal} vectors, {len(rows)} expected")
    return Segment(rows, _codes(flat, dimension), index, has_graph)


def _flat(index: Any) -> Any:
    return _faiss.downcast_index(index.storage)


def _codes(flat: Any, dimension: int) -> Half:
    if not flat.ntotal:
        return np.empty((0, dimension), np.float16)
    raw = _faiss.rev_swig_ptr(flat.codes.data(), flat.ntotal * flat.code_size)
    return cast(Half, raw.view(np.float16).reshape(flat.ntotal, dimension))


def _add(index: Any, vectors: Half, batch: int = 50_000) -> None:
    for start in range(0, len(vectors), batch):
        index.add(vectors[start : start + batch].astype(np.float32))


def _selector(allowed: Mask | None) -> tuple[NDArray[np.uint8] | None, Any]:
    # FAISS keeps a pointer to the bits only: the caller holds on to them until the search has ended.
    if allowed is None:
        return None, None
    bits = np.packbits(allowed, bitorder="little")
    return bits, _faiss.IDSelectorBitmap(bits)


def best(found: Sequence[Found], k: int) -> Found:
    """The ``k`` highest scores of several results, best first, equal ones by row."""
    scores = np.concatenate([each for each, _ in found]) if found else np.empty(0, np.float32)
    rows = np.concatenate([each for _, each in found]) if found else np.empty(0, np.int64)
    order = np.lexsort((rows, -scores))[:k]
    return scores[order], rows[order]
