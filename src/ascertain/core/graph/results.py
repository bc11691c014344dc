"""Results of the methods of ``Ascertain`` on the knowledge graph."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ascertain.core.asking.answers import Citation
from ascertain.core.graph.nouns import Relation


@dataclass(frozen=True, slots=True)
class EntityView:
    """Something that documents name.

    ``id`` names it as long as its names do; ``aliases`` are its other names as they are written, the most frequent
    first; ``mentions`` and ``documents`` count where it is named.
    """

    id: str
    name: str
    kind: str
    aliases: tuple[str, ...]
    mentions: int
    documents: int


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """An entity, ``how`` it was found (exact, alias, prefix, fuzzy) and how far to trust that, 0..1."""

    entity: EntityView
    how: str
    score: float


@dataclass(frozen=True, slots=True)
class FoundEntities:
    """The first of ``total`` entities for what was looked for."""

    query: str
    entities: tuple[FoundEntity, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """A supporting sentence, checked against the stored text, and the relation that was read from it, if one was."""

    chunk_id: str
    citation: Citation
    relation: Relation | None = None


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link of an entity to ``entity``: how strongly, 0..1, in how many sentences, the first of these, and in what
    words.
    """

    entity: EntityView
    weight: float
    sentences: int
    evidence: tuple[Evidence, ...]
    predicates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MergeView:
    """A merged name, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Between:
    """Two neighbours of an entity that are linked themselves, by their ids."""

    left: str
    right: str
    weight: float


@dataclass(frozen=True, slots=True)
class NamedIn:
    """A document and how often it names an entity."""

    document_id: str
    title: str
    source: str
    mentions: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """An entity with its links, the strongest first, and where it is named, the densest passages and
    documents first.
    """

    entity: EntityView
    merges: tuple[MergeView, ...]
    neighbours: tuple[LinkView, ...]
    total_neighbours: int
    between: tuple[Between, ...]
    passages: tuple[Evidence, ...]
    total_passages: int
    documents: tuple[NamedIn, ...]
    topics: tuple[tuple[str, int], ...] = ()
    """What the passages are about, and how many of them each; the most frequent first."""


@dataclass(frozen=True, slots=True)
class Way:
    """Entities in order; ``steps[i]`` leads to ``entities[i + 1]``."""

    entities: tuple[EntityView, ...]
    steps: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class PathView:
    """Ways from one entity to another, the shortest first; empty where nothing connects them."""

    start: EntityView
    end: EntityView
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class CommunityView:
    """Entities that documents name together, the most typical first; ``size`` counts all of them.

    ``parent`` is the id of the one it divides.

    ``summary`` is made of the sentences that stand for it, which ``evidence`` gives one by one.

    """

    id: str
    level: int
    parent: str | None
    label: str
    size: int
    documents: int
    entities: tuple[EntityView, ...]
    summary: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class CommunitiesView:
    """Some of the ``total`` groups of a level, the largest first; level 0 is the coarsest of ``levels``."""

    level: int
    levels: int
    total: int
    communities: tuple[CommunityView, ...]


@dataclass(frozen=True, slots=True)
class GraphStats:
    """How much the graph holds of what a question may see; ``behind`` counts documents that are not in it as they are
    now.

    ``links`` are pairs of entities that some sentence names together. ``top`` are those named in most chunks.

    """

    enabled: bool
    extractor: str
    documents: int
    chunks: int
    entities: int
    mentions: int
    relations: int
    links: int
    behind: int
    by_kind: Mapping[str, int]
    top: tuple[EntityView, ...]


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The result of syncing the graph: documents ``read`` and ``removed``, those ``left`` unread and why
    (``notes``), and those it ``holds`` now.
    """

    extractor: str
    read: int
    removed: int
    left: int
    holds: int
    names: int
    mentions: int
    relations: int
    notes: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class BuildEstimate:
    """What a build would read and remove.

    ``calls`` and ``tokens`` are those of a chat model, None where none is called; ``usd`` is None where its prices are
    not known. ``stops`` says when a build by model stops by itself.
    """

    extractor: str
    documents: int
    chunks: int
    gone: int
    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None
    stops: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """A user's decision about two names.

    ``left`` and ``right`` are as written; ``holds`` is whether the graph does so now.
    """

    left: str
    right: str
    same: bool
    reason: str
    made_at: datetime
    holds: bool


@dataclass(frozen=True, slots=True)
class Merged:
    """Two names that rules merge, or would (``is_refused``: a user decided otherwise).

    ``title`` is set where it holds in one document only.
    """

    left: str
    right: str
    reason: str
    title: str = ""
    is_refused: bool = False


@dataclass(frozen=True, slots=True)
class Merges:
    """All merges of names: by decision and by rules."""

    decided: tuple[Decided, ...]
    merged: tuple[Merged, ...]


GraphFormat = Literal["graphml", "json"]
"""The format that a graph is exported in."""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was exported."""

    file: str
    format: GraphFormat
    entities: int
    links: int
