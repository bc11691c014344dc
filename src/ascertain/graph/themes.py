"""Themes: communities that speak of alike things, brought together by the meaning of their passages.

Names alone leave what is written about one subject in pieces: two papers on one method may share no name. So the communities of
the coarsest level are joined by Leiden once more, over how near the mean vectors of their passages lie; the vectors are those that the store
keeps. The demo corpus, four folders, falls from 31 communities into five themes; 48 unrelated articles of Wikipedia stay 30.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import graspologic_native  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
from numpy.typing import NDArray

from ascertain.graph.communities import ITERATIONS, SEED, Communities, Community, Telling
from ascertain.graph.snapshot import Mask, Snapshot
from ascertain.stores.graph_ports import Indices

Vectors = NDArray[np.float32]

MOST = 500
"""Communities that are compared, the largest ones; the others stay by themselves."""
SAMPLED = 10
"""Passages of a community whose mean stands for it, spread over it: at most 5,000 vectors are read in all."""
NEAR = 0.4
"""Share of the mean cosine of passages to the mean of their own community from which two means are near. Below 0.4 unrelated
articles of Wikipedia run together, above it subjects of the demo corpus fall apart."""
NEAREST = 5
"""Neighbours each is joined to, at most. With 5 the demo corpus falls into its folders, with 3 and 10 one of them is broken."""


def with_themes(
    communities: Communities,
    snapshot: Snapshot,
    vectors: Callable[[Sequence[str]], Vectors],
    visible: Mask | None = None,
) -> Communities:
    """``communities`` with their themes as level 0 and themselves from level 1 on.

    ``vectors`` gives one row for each chunk id. One that joins nothing is a theme of its own.
    """
    coarsest = [place for place, community in enumerate(communities.all) if community.level == 0]
    if not coarsest:
        return communities
    compared = coarsest[:MOST]
    several = [communities.all[place] for place in compared]
    groups = _alike(_means(several, snapshot, vectors), [len(community.chunks) for community in several])
    groups += [[place] for place in range(len(compared), len(coarsest))]
    told = Telling(snapshot, visible, len(groups))
    themes = [_joined([communities.all[coarsest[i]] for i in group], snapshot, told) for group in groups]
    order = sorted(range(len(themes)), key=lambda i: (-len(themes[i].chunks), int(themes[i].chunks[0])))
    theme_of = {coarsest[i]: rank for rank, number in enumerate(order) for i in groups[number]}
    below = tuple(
        replace(
            community,
            level=community.level + 1,
            parent=theme_of[place] if community.parent is None else community.parent + len(themes),
        )
        for place, community in enumerate(communities.all)
    )
    return replace(communities, all=(*(themes[number] for number in order), *below))


def _means(
    communities: Sequence[Community], snapshot: Snapshot, vectors: Callable[[Sequence[str]], Vectors]
) -> Vectors:
    """The mean of the unit vectors of passages spread over each; one request for all of them."""
    sampled = [_spread(community.chunks) for community in communities]
    rows = vectors([str(snapshot.chunk_ids[chunk]) for chunks in sampled for chunk in chunks.tolist()])
    ends = np.cumsum([len(chunks) for chunks in sampled])
    return np.stack([part.mean(axis=0) for part in np.split(rows, ends[:-1])])


def _spread(chunks: Indices) -> Indices:
    if len(chunks) <= SAMPLED:
        return chunks
    return chunks[np.linspace(0, len(chunks) - 1, SAMPLED).astype(np.int64)]


def _alike(means: Vectors, sizes: Sequence[int]) -> list[list[int]]:
    """Groups of places whose means lie near each other, measured by how near passages of one community lie to its own mean."""
    count = len(means)
    lengths = np.linalg.norm(means, axis=1)  # the mean cosine of unit vectors to their mean
    several = np.array(sizes) > 1
    held = float(lengths[several].mean()) if several.any() else 1.0
    units = means / np.maximum(lengths, 1e-9)[:, None]
    nearness = units @ units.T
    np.fill_diagonal(nearness, -1.0)
    edges: dict[tuple[str, str], float] = {}
    for place in range(count):
        for other in np.argsort(-nearness[place], kind="stable")[: min(NEAREST, count - 1)].tolist():
            nearer = float(nearness[place, other]) - NEAR * held
            if nearer > 0:
                edges[str(min(place, other)), str(max(place, other))] = nearer
    if not edges:
        return [[place] for place in range(count)]
    native = cast(Any, graspologic_native)  # it has no type stubs
    told = [(one, other, weight) for (one, other), weight in sorted(edges.items())]
    found = cast(tuple[float, dict[str, int]], native.leiden(told, seed=SEED, iterations=ITERATIONS))[1]
    groups: dict[int, list[int]] = {}
    for place in range(count):
        groups.setdefault(found.get(str(place), -1 - place), []).append(place)
    return list(groups.values())


def _joined(parts: Sequence[Community], snapshot: Snapshot, told: Telling) -> Community:
    chunks = np.unique(np.concatenate([part.chunks for part in parts]))
    entities = np.unique(np.concatenate([part.entities for part in parts]))
    return Community(
        level=0,
        parent=None,
        chunks=chunks,
        documents=np.unique(snapshot.chunk_document[chunks]),
        is_divided=True,
        **told.ranked(entities, chunks),
    )
