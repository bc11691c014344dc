"""From what an index found to hits: rows that the record no longer has drop out, ties are ordered by chunk id."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ascertain.core.passages import Hit

# Fetched beyond k, for rows that are gone and for ties at the end.
_SLACK = 32
_TIES_AT_MOST = 10_000

Fetch = Callable[[int], Sequence[tuple[int, float]]]
Resolve = Callable[[Sequence[int]], dict[int, str]]


def top_hits(fetch: Fetch, resolve: Resolve, k: int) -> list[Hit]:
    """The ``k`` best hits, equal scores by chunk id.

    ``fetch(limit)`` gives the best ``limit`` rows with scores, best first; ``resolve(rows)`` the chunk id of each that
    exists. Fetches more while too few exist, or while the k-th score is also the last one fetched (a tie that may go on);
    a tie of more than 10,000 chunks is cut by row.
    """
    if k < 1:
        return []
    limit = k + _SLACK
    while True:
        found = fetch(limit)
        ids = resolve([row for row, _ in found])
        hits = sorted(
            (Hit(ids[row], score) for row, score in found if row in ids),
            key=lambda hit: (-hit.score, hit.chunk_id),
        )
        is_complete = len(found) < limit or limit > k + _TIES_AT_MOST
        if is_complete or (len(hits) >= k and hits[k - 1].score > found[-1][1]):
            return hits[:k]
        limit *= 4
