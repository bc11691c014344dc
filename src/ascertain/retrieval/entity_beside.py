"""What else the sentences name that name something: by the graph, or by their capitals where there is none."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from ascertain.core.graph import Role
from ascertain.graph.snapshot import ROLES, Snapshot
from ascertain.language.names import names_in, words_of
from ascertain.retrieval.entity_mentions import names_one
from ascertain.retrieval.entity_sentences import Statement

_IN_TEXT = ROLES.index(Role.NAMED)


@dataclass(frozen=True, slots=True)
class Beside:
    """A thing and the sentences that name it beside the subject. ``key`` tells it from others, ``kind`` is "" where nobody knows it.

    ``weight`` is the cosine of the two sets of sentences, as links of the graph are weighed (``graph.snapshot_links``); without a graph the share
    of the subject's sentences.
    """

    key: Hashable
    label: str
    kind: str
    statements: tuple[Statement, ...]
    weight: float


def named_beside(snapshot: Snapshot | None, subject: str, told: Sequence[Statement]) -> list[Beside]:
    """What ``told``, the sentences that name ``subject``, name besides, the strongest link first."""
    found = _by_graph(snapshot, subject, told) if snapshot else _by_capitals(subject, told)
    return sorted(found, key=lambda each: (-each.weight, each.label))


def _by_graph(snapshot: Snapshot, subject: str, told: Sequence[Statement]) -> Iterator[Beside]:
    own, place = words_of(subject), snapshot.place(subject)
    found: dict[int, list[Statement]] = {}
    for each in told:
        for entity in _entities_in(snapshot, each):
            if entity != place:
                found.setdefault(entity, []).append(each)
    for entity, statements in found.items():
        thing = snapshot.at(entity)
        titles = {statement.chunk.title for statement in statements}
        if words_of(thing.label) != own and thing.label not in titles:
            shared = len(statements) / sqrt(len(told) * max(1, int(snapshot.place_counts[entity])))
            yield Beside(entity, thing.label, thing.kind, tuple(statements), min(1.0, shared))


def _entities_in(snapshot: Snapshot, statement: Statement) -> Iterator[int]:
    chunk = snapshot.chunk_place.get(statement.chunk.id)
    if chunk is None:
        return
    written: dict[int, set[str]] = {}
    for row in snapshot.by_chunk[chunk].tolist():
        if snapshot.mention_role[row] == _IN_TEXT and snapshot.mention_sentence[row] < statement.span.end:
            written.setdefault(int(snapshot.mention_entity[row]), set()).add(
                snapshot.written[int(snapshot.mention_name[row])]
            )
    for entity, names in written.items():
        if names_one(statement.text, sorted(names)):
            yield entity


def _by_capitals(subject: str, told: Sequence[Statement]) -> Iterator[Beside]:
    written: dict[tuple[str, ...], str] = {}
    found: dict[tuple[str, ...], list[Statement]] = {}
    own = set(words_of(subject))
    for each in told:
        for words, name in names_in(each.text).items():
            is_speaker = words == words_of(each.place.speaker or "")
            if name[:1].isalpha() and not own & set(words) and not is_speaker:
                found.setdefault(words, []).append(each)
                written.setdefault(words, name)
    for words, statements in found.items():
        yield Beside(words, written[words], "", tuple(statements), len(statements) / len(told))
