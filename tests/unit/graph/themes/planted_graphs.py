"""Graphs with communities that were put there: documents are given by the names of each of their passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ascertain.core.graph.nouns import Name, Role
from ascertain.graph.snapshot import ROLES, Snapshot
from ascertain.stores.ports.graph import GraphColumns

Planted = Mapping[str, Sequence[Sequence[str]]]


def a_snapshot(
    documents: Planted, speakers: Mapping[str, str] | None = None, conversations: Mapping[str, str] | None = None
) -> Snapshot:
    """Each passage of a document says its names, in one sentence; ``speakers`` says who speaks in a document."""
    names = sorted({name for passages in documents.values() for passage in passages for name in passage})
    names = sorted({*names, *(speakers or {}).values()})
    mentions: list[tuple[int, int, int]] = []
    chunk_ids: list[str] = []
    chunk_document: list[int] = []
    for place, document in enumerate(sorted(documents)):
        for index, passage in enumerate(documents[document]):
            chunk = len(chunk_ids)
            chunk_ids.append(f"{document}:{index}")
            chunk_document.append(place)
            mentions += [(chunk, names.index(name), ROLES.index(Role.NAMED)) for name in sorted(set(passage))]
            if speakers and document in speakers:
                mentions.append((chunk, names.index(speakers[document]), ROLES.index(Role.SPEAKER)))
    table = np.array(mentions, dtype=np.int32).reshape(-1, 3)
    return Snapshot.of(
        GraphColumns(
            generation="1",
            documents=sorted(documents),
            conversations=[(conversations or {}).get(document) for document in sorted(documents)],
            chunk_ids=chunk_ids,
            chunk_document=np.array(chunk_document, dtype=np.int32),
            names=[Name(name.casefold(), name) for name in names],
            mention_name=table[:, 1].copy(),
            mention_chunk=table[:, 0].copy(),
            mention_sentence=np.zeros(len(table), dtype=np.int32),
            mention_role=table[:, 2].copy(),
            relations=[],
            aliases=[],
        )
    )


def planted(theme: str, documents: int, passages: int = 2) -> dict[str, list[list[str]]]:
    """Documents of one theme: each passage says all of its four names and one that its document has for itself."""
    return {
        f"{theme}{number}": [[*(f"{theme} {name}" for name in range(4)), f"{theme} own {number}"]] * passages
        for number in range(documents)
    }


def documents_of(snapshot: Snapshot, places: Sequence[int]) -> set[str]:
    return {snapshot.documents[place] for place in places}
