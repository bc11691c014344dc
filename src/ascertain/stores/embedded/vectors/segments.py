"""Segments, views and snapshots. A segment is the vectors of some rows, immutable, searched by FAISS.

Vectors are float16 (scalar quantizer), compared by inner product in float32. A segment is flat, or has an HNSW graph
over its vectors as well (Malkov & Yashunin 2018).
"""

from __future__ import annotations

import importlib
import itertools
import uuid
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ascertain.core.system.private_files import make_private_folder
from ascertain.stores.embedded import change_log
from ascertain.stores.embedded.change_log import START, DerivedState, Half, Position, RowNumbers
from ascertain.stores.embedded.lexical.index import file_checksum
from ascertain.stores.ports.chunks import Vectors
from ascertain.stores.records.vectors import Generation

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
    """Threads that each run one FAISS call."""

    def __init__(self) -> None:
        # Follows OMP_NUM_THREADS, as FAISS does.
        self.count = int(_faiss.omp_get_max_threads())
        self.pool = ThreadPoolExecutor(self.count, "ascertain-vectors")

    def close(self) -> None:
        """End the threads."""
        self.pool.shutdown()


@contextmanager
def _use_one_thread() -> Generator[None]:
    """FAISS gives a single query one thread, yet starts as many as there are cores, which spin until it is done: that takes four to
    seventy times the processor time of the search itself.
    """
    count = _faiss.omp_get_max_threads()
    _faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        _faiss.omp_set_num_threads(count)


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
            return self._score_positions(query, np.flatnonzero(allowed))
        share = count / len(self)
        if self.has_graph and share >= _GRAPH_SHARE:
            # Only allowed positions fill the graph search's list, so it has to be longer.
            return self._search_graph(query, k, allowed, int(effort / share))
        return self._scan_vectors(query, k, allowed, workers)

    def positions(self, rows: RowNumbers) -> tuple[RowNumbers, RowNumbers]:
        """Which of ``rows`` are here: their places in ``rows`` and their positions."""
        places = np.searchsorted(self.rows, rows)
        inside = places < len(self)
        inside[inside] = self.rows[places[inside]] == rows[inside]
        return np.flatnonzero(inside), places[inside]

    def scores(self, query: Vectors, positions: RowNumbers) -> NDArray[np.float32]:
        """Inner products with the vectors at ``positions``."""
        return self.codes[positions].astype(np.float32) @ query

    def _score_positions(self, query: Vectors, positions: RowNumbers) -> Found:
        return self.scores(query, positions), self.rows[positions]

    def _search_graph(self, query: Vectors, k: int, allowed: Mask | None, effort: int) -> Found:
        bits, selector = _build_selector(allowed)
        parameters = _faiss.SearchParametersHNSW(efSearch=max(effort, k), sel=selector)
        found = self._call_index(self.index, query, k, parameters)
        del bits
        return found

    def _scan_vectors(self, query: Vectors, k: int, allowed: Mask | None, workers: Workers) -> Found:
        ways = workers.count if len(self) >= _SPLIT_FROM else 1
        if ways == 1 and allowed is None and not self.has_graph:
            return self._call_index(self.index, query, k, None)
        bounds = np.linspace(0, len(self), ways + 1).astype(int).tolist()
        flat = _flat_index(self.index) if self.has_graph else self.index
        bits, selector = _build_selector(allowed)

        def part(start: int, end: int) -> Found:
            span = _faiss.IDSelectorRange(start, end)
            both = span if selector is None else _faiss.IDSelectorAnd(span, selector)
            return self._call_index(flat, query, k, _faiss.SearchParameters(sel=both))

        parts = [workers.pool.submit(part, start, end) for start, end in itertools.pairwise(bounds)]
        found = [each.result() for each in parts]
        del bits
        return np.concatenate([scores for scores, _ in found]), np.concatenate([rows for _, rows in found])

    def _call_index(self, index: Any, query: Vectors, k: int, parameters: Any) -> Found:
        k = min(k, len(self))
        with _use_one_thread():
            scores, positions = index.search(query.reshape(1, -1), k, params=parameters)
        here = positions[0] >= 0
        return cast(NDArray[np.float32], scores[0][here]), self.rows[positions[0][here]]


def flat_segment(rows: RowNumbers, vectors: Half) -> Segment:
    """A segment that is searched by comparing every vector."""
    dimension = vectors.shape[1]
    index = _faiss.IndexScalarQuantizer(dimension, _faiss.ScalarQuantizer.QT_fp16, _faiss.METRIC_INNER_PRODUCT)
    _add_vectors(index, vectors)
    return Segment(rows, _view_codes(index, dimension), index, has_graph=False)


def graph_segment(rows: RowNumbers, vectors: Half, base: Segment | None = None) -> Segment:
    """A segment with a graph; on top of ``base``, which must not be mapped from a file and is used up."""
    dimension = vectors.shape[1]
    if base is None:
        index = _faiss.IndexHNSWSQ(dimension, _faiss.ScalarQuantizer.QT_fp16, HNSW_LINKS, _faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = HNSW_BUILD_EFFORT
    else:
        index = base.index
        rows = np.concatenate([base.rows, rows])
    _add_vectors(index, vectors)
    return Segment(rows, _view_codes(_flat_index(index), dimension), index, has_graph=True)


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
    flat = _flat_index(index) if has_graph else index
    if index.ntotal != len(rows) or flat.d != dimension or flat.ntotal != len(rows):
        raise ValueError(f"{path} holds {index.ntotal} vectors, {len(rows)} expected")
    return Segment(rows, _view_codes(flat, dimension), index, has_graph)


def _flat_index(index: Any) -> Any:
    return _faiss.downcast_index(index.storage)


def _view_codes(flat: Any, dimension: int) -> Half:
    if not flat.ntotal:
        return np.empty((0, dimension), np.float16)
    raw = _faiss.rev_swig_ptr(flat.codes.data(), flat.ntotal * flat.code_size)
    return cast(Half, raw.view(np.float16).reshape(flat.ntotal, dimension))


def _add_vectors(index: Any, vectors: Half, batch: int = 50_000) -> None:
    for start in range(0, len(vectors), batch):
        index.add(vectors[start : start + batch].astype(np.float32))


def _build_selector(allowed: Mask | None) -> tuple[NDArray[np.uint8] | None, Any]:
    # FAISS keeps a pointer to the bits only: the caller holds on to them until the search has ended.
    if allowed is None:
        return None, None
    bits = np.packbits(allowed, bitorder="little")
    return bits, _faiss.IDSelectorBitmap(bits)


def choose_best(found: Sequence[Found], k: int) -> Found:
    """The ``k`` highest scores of several results, best first, equal ones by row."""
    scores = np.concatenate([each for each, _ in found]) if found else np.empty(0, np.float32)
    rows = np.concatenate([each for _, each in found]) if found else np.empty(0, np.int64)
    order = np.lexsort((rows, -scores))[:k]
    return scores[order], rows[order]


_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A segment with the position it was taken at; ``alive`` is None when nothing in it was removed."""

    position: Position
    segment: Segment
    alive: Mask | None


@dataclass(frozen=True, slots=True)
class Owner:
    """The record that a snapshot must have been taken from."""

    identity: str
    generation: Generation
    sequence: int
    """Of the record's last change."""


def write_snapshot(folder: Path, owner: Owner, snapshot: Snapshot) -> None:
    """Write a snapshot; it replaces the former one in one step. Raises OSError or RuntimeError when it cannot."""
    make_private_folder(folder)
    build = uuid.uuid4().hex
    names = {part: f"{part}-{build}" for part in ("segment", "rows", "alive")}
    alive = np.ones(len(snapshot.segment), np.bool_) if snapshot.alive is None else snapshot.alive
    try:
        write_segment(snapshot.segment, folder / names["segment"])
        for part, array in (("rows", snapshot.segment.rows), ("alive", alive)):
            with (folder / names[part]).open("wb") as file:
                np.save(file, array, allow_pickle=False)
        for name in names.values():
            change_log.sync_file(folder / name)
        details = {
            "names": names,
            "checksums": {name: file_checksum(folder / name) for name in names.values()},
            "generation": owner.generation.number,
            "dimension": owner.generation.dimension,
            "graph": snapshot.segment.has_graph,
        }
        files = change_log.read_fingerprints(folder, names.values())
        position = snapshot.position
        state = DerivedState(_FORMAT, owner.identity, build, position.sequence, position.high_row, files, details)
        change_log.write_state(folder, state)
    except BaseException:
        for name in names.values():
            (folder / name).unlink(missing_ok=True)
        raise
    wanted = {*names.values(), change_log.STATE_NAME}
    for path in folder.iterdir():
        if path.name not in wanted:
            path.unlink(missing_ok=True)


def find_damage(folder: Path, state: DerivedState | None, owner: Owner, *, thorough: bool = False) -> str:
    """Why the snapshot cannot be used; empty when it can. ``thorough`` reads the files even if they look untouched."""
    if state is None:
        return "it is missing"
    if state.format != _FORMAT:
        return f"it has format {state.format}, this version writes {_FORMAT}"
    if state.identity != owner.identity:
        return "it belongs to another record"
    if state.sequence > owner.sequence:
        return "it is ahead of the record"
    if state.details.get("generation") != owner.generation.number:
        return "it has vectors of another embedding model"
    try:
        wanted = {str(name): int(checksum) for name, checksum in state.details["checksums"].items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        return "its state is damaged"

    def is_whole(path: Path) -> bool:
        try:
            return file_checksum(path) == wanted.get(path.name)
        except OSError:
            return False

    broken = change_log.damaged_files(folder, wanted, state, is_whole, thorough=thorough)
    return f"{broken[0]} is damaged" if broken else ""


def read_snapshot(folder: Path, state: DerivedState, dimension: int, mapped: bool = True) -> Snapshot:
    """Read the snapshot that ``state`` describes; raises ValueError, KeyError or OSError when it does not fit."""
    names = state.details["names"]
    rows = np.load(folder / names["rows"], allow_pickle=False)
    alive = np.load(folder / names["alive"], allow_pickle=False)
    segment = read_segment(folder / names["segment"], rows, dimension, mapped)
    return Snapshot(state.position, segment, None if alive.all() else alive)


# Candidates that a search of the graph keeps (efSearch), at least, and for each hit asked for. On 100,000 MiniLM
# vectors of real texts and questions: recall@100 0.956 with 200, 0.984 with 400, 0.988 with 600, for 1, 1.7 and 2.4 ms.
GRAPH_EFFORT = 400
GRAPH_EFFORT_PER_HIT = 3


@dataclass(frozen=True, slots=True)
class VectorView:
    """Segments in order of row. ``alive`` has one mask per segment, None when nothing in it was removed."""

    position: Position = START
    segments: tuple[Segment, ...] = ()
    alive: tuple[Mask | None, ...] = ()

    @property
    def count(self) -> int:
        """Rows that can be found."""
        return sum(
            len(segment) if mask is None else int(np.count_nonzero(mask))
            for segment, mask in zip(self.segments, self.alive, strict=True)
        )

    def search(self, query: Vectors, k: int, chosen: Sequence[Mask] | None, workers: Workers) -> Found:
        """The best ``k`` rows among those ``chosen`` (one mask per segment; None: all), best first."""
        found: list[Found] = []
        effort = max(GRAPH_EFFORT, GRAPH_EFFORT_PER_HIT * k)
        for place, (segment, alive) in enumerate(zip(self.segments, self.alive, strict=True)):
            allowed = alive
            if chosen is not None:
                allowed = chosen[place] if alive is None else chosen[place] & alive
            found.append(segment.search(query, k, allowed, effort, workers))
        return choose_best(found, k)

    def similarities(self, query: Vectors, rows: RowNumbers) -> dict[int, float]:
        """Inner product with each of the rows that are here."""
        found: dict[int, float] = {}
        for segment, places, positions in self._locate_rows(rows):
            found.update(zip(rows[places].tolist(), segment.scores(query, positions).tolist(), strict=True))
        return found

    def vectors(self, rows: RowNumbers) -> tuple[RowNumbers, Half]:
        """Those of the rows that are here, and their vectors, in no order."""
        found = [(rows[places], segment.codes[positions]) for segment, places, positions in self._locate_rows(rows)]
        if not found:
            return np.empty(0, np.int64), np.empty((0, 0), np.float16)
        return np.concatenate([here for here, _ in found]), np.concatenate([codes for _, codes in found])

    def _locate_rows(self, rows: RowNumbers) -> Iterator[tuple[Segment, RowNumbers, RowNumbers]]:
        """Each segment that has some of ``rows``, with their places in ``rows`` and their positions in it."""
        for segment, alive in zip(self.segments, self.alive, strict=True):
            places, positions = segment.positions(rows)
            if alive is not None:
                kept = alive[positions]
                places, positions = places[kept], positions[kept]
            if len(positions):
                yield segment, places, positions

    def masks(self, intervals: Sequence[tuple[int, int]]) -> tuple[Mask, ...]:
        """One mask per segment of the positions whose row lies in an interval ``(first row, count)``."""
        bounds = np.asarray(intervals, np.int64).reshape(-1, 2)
        starts, ends = bounds[:, 0], bounds[:, 0] + bounds[:, 1]
        return tuple(_mask_intervals(segment.rows, starts, ends) for segment in self.segments)

    def without(self, position: Position, removed: Sequence[tuple[int, int]]) -> VectorView:
        """The view at ``position`` with the intervals ``removed``, both ends included, taken out."""
        alive = list(self.alive)
        gone = self.masks([(first, last - first + 1) for first, last in removed]) if removed else ()
        for place, mask in enumerate(gone):
            if mask.any():
                present = alive[place]
                alive[place] = ~mask if present is None else present & ~mask
        return VectorView(position, self.segments, tuple(alive))

    def living(self, dimension: int, start: int = 0) -> tuple[RowNumbers, Half]:
        """Rows and vectors of the segments from ``start`` on, removed ones left out."""
        rows: list[RowNumbers] = [np.empty(0, np.int64)]
        vectors: list[Half] = [np.empty((0, dimension), np.float16)]
        for segment, alive in zip(self.segments[start:], self.alive[start:], strict=True):
            rows.append(segment.rows if alive is None else segment.rows[alive])
            vectors.append(segment.codes if alive is None else segment.codes[alive])
        return np.concatenate(rows), np.concatenate(vectors)

    def with_rows(self, rows: RowNumbers, vectors: Half) -> VectorView:
        """The view with more rows, all above those it has."""
        # Like carrying in binary addition: a segment joins its predecessor unless that is more than twice as long,
        # so there are few segments and every vector is copied O(log n) times.
        keep = len(self.segments)
        size = len(rows)
        while keep and not self.segments[keep - 1].has_graph and len(self.segments[keep - 1]) <= 2 * size:
            keep -= 1
            size += len(self.segments[keep])
        if keep < len(self.segments):
            old_rows, old_vectors = self.living(vectors.shape[1], keep)
            rows, vectors = np.concatenate([old_rows, rows]), np.concatenate([old_vectors, vectors])
        return VectorView(
            self.position, (*self.segments[:keep], flat_segment(rows, vectors)), (*self.alive[:keep], None)
        )


def _mask_intervals(rows: RowNumbers, starts: RowNumbers, ends: RowNumbers) -> Mask:
    opened = np.bincount(np.searchsorted(rows, starts), minlength=len(rows) + 1)
    closed = np.bincount(np.searchsorted(rows, ends), minlength=len(rows) + 1)
    return np.cumsum(opened - closed)[: len(rows)] > 0
