"""The knowledge graph as the page shows it: pure functions from the service's JSON to what the parts draw."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ascertain.core.status import format_count, tell_named
from ascertain.ui.graph.drawing import Edge, Node, Role, around_narrow, around_wide, draw_graph, ways_narrow, ways_wide
from ascertain.ui.markup import format_day, shorten_text
from ascertain.wire.answers import CitationJson
from ascertain.wire.graph import (
    CommunityJson,
    EntityJson,
    EvidenceJson,
    LinkJson,
    MergeJson,
    NeighbourhoodJson,
    RelationJson,
    StepJson,
    WayJson,
)

MARKS: Mapping[str, tuple[str, str]] = {
    "person": ("●", "one"),
    "organisation": ("■", "two"),
    "place": ("▲", "three"),
    "product": ("◆", "four"),
    "product/asset": ("◆", "four"),
    "event": ("★", "five"),
    "component": ("□", "five"),
    "concept": ("◇", "three"),
    "command": ("▷", "one"),
    "practice": ("▷", "five"),
    "outcome": ("☆", "two"),
    "method": ("◇", "four"),
    "dataset": ("□", "three"),
    "metric": ("△", "five"),
    "task": ("▷", "three"),
    "finding": ("☆", "five"),
}
"""A sign and a colour for each kind of the shipped profiles; within a profile the signs alone tell them apart."""
OTHER_MARK = ("○", "other")
MOST_PREDICATES = 3
SHOWN_ALIASES = 6
NAMES_CHARACTERS = 160
PREDICATE_CHARACTERS = 22
"""As many as stand on a line without hiding it."""


def neighbourhood_drawing(entity: NeighbourhoodJson) -> dict[str, object]:
    """An entity among its strongest neighbours; a line is the thicker the stronger the link."""
    links = entity.neighbours
    nodes = [
        _entity_node(entity, "centre"),
        *(_entity_node(link.entity, note=_count_sentences(link)) for link in links),
    ]
    others = [link.entity.id for link in links]
    edges = [
        *(Edge(each.left, each.right, each.weight, is_faint=True) for each in entity.between),
        *(Edge(entity.id, link.entity.id, link.weight) for link in links),
    ]
    wide, tall = around_wide(entity.id, others), around_narrow(entity.id, others)
    return {
        "wide": draw_graph(nodes, edges, wide),
        "tall": draw_graph(nodes, edges, tall, turns=True),
        "label": f"{entity.name} and what it is named with",
        "legend": build_legend([entity, *(link.entity for link in links[: len(wide.places) - 1])]),
    }


def ways_drawing(ways: Sequence[WayJson]) -> dict[str, object]:
    """The ways from one entity to another; what two of them share is drawn once."""
    entities = {entity.id: entity for way in ways for entity in way.entities}
    ends = {ways[0].entities[0].id, ways[0].entities[-1].id}
    nodes = [_entity_node(entity, "end" if entity.id in ends else "entity") for entity in entities.values()]
    steps: dict[tuple[str, str], Edge] = {}
    for way in ways:
        for (left, right), step in zip(pairwise(way.entities), way.steps, strict=True):
            between = (left.id, right.id)
            steps.setdefault(between, Edge(*between, step.weight, _step_label(step)))
    orders = [[entity.id for entity in way.entities] for way in ways]
    edges = list(steps.values())
    return {
        "wide": draw_graph(nodes, edges, ways_wide(orders)),
        "tall": draw_graph(nodes, edges, ways_narrow(orders)),
        "label": f"From {ways[0].entities[0].name} to {ways[0].entities[-1].name}",
        "legend": build_legend(entities.values()),
    }


def build_legend(entities: Iterable[EntityJson]) -> list[dict[str, object]]:
    """The signs of the kinds there are; none where nothing is known of any."""
    kinds = dict.fromkeys(entity.kind for entity in entities if entity.kind)
    return [{"name": kind_name(kind), "kind": kind_mark(kind)} for kind in kinds]


def kind_mark(kind: str) -> dict[str, str] | None:
    """Sign and colour of a kind; None for an entity of unknown kind."""
    if not kind:
        return None
    mark, tone = MARKS.get(kind.casefold(), OTHER_MARK)
    return {"mark": mark, "tone": tone}


def kind_name(kind: str) -> str:
    """A kind as people read it."""
    return kind.replace("_", " ").capitalize()


def entity_facts(entity: EntityJson) -> list[str]:
    """Kind, other names, and how much is said of it."""
    others = entity.aliases[:SHOWN_ALIASES]
    return [
        *([kind_name(entity.kind)] if entity.kind else []),
        *([f"also {', '.join(others)}"] if others else []),
        tell_named(entity.mentions, entity.documents),
    ]


def merge_lines(merges: Sequence[MergeJson]) -> list[str]:
    """Why other names are taken to be of the same entity; names with one reason in one line."""
    by_reason: dict[str, list[str]] = {}
    for merge in merges:
        by_reason.setdefault(merge.reason, []).append(f"“{merge.name}”")
    return [f"{shorten_text(', '.join(names), NAMES_CHARACTERS)}: {reason}" for reason, names in by_reason.items()]


def offered_rows(label: str, entities: Sequence[EntityJson]) -> list[dict[str, object]]:
    """Entities to begin with, the most named first."""
    return [
        {
            **_evidence_row((), 0),
            "names": [_entity_chip(entity, f"{entity.mentions:,}") for entity in entities],
            "label": label,
        }
    ]


def link_rows(entity: NeighbourhoodJson) -> list[dict[str, object]]:
    """The neighbours, each with the first sentences that name both."""
    return [
        _evidence_row(
            link.evidence,
            link.sentences,
            (entity, link.entity),
            id=link.entity.id,
            title=link.entity.name,
            kind=kind_mark(link.entity.kind),
            facts=_behind_facts(link),
            goes="Go on to",
        )
        for link in entity.neighbours
    ]


def step_rows(ways: Sequence[WayJson]) -> list[dict[str, object]]:
    """The steps of each way with the sentences behind them; a step that two ways share is told once."""
    told: dict[tuple[str, str], dict[str, object]] = {}
    for step, left, right in steps_of(ways):
        told.setdefault(
            (left.id, right.id),
            _evidence_row(
                step.evidence,
                step.sentences,
                (left, right),
                id=right.id,
                title=f"{left.name} – {right.name}",
                facts=_behind_facts(step),
            ),
        )
    return list(told.values())


def steps_of(ways: Sequence[WayJson]) -> list[tuple[StepJson, EntityJson, EntityJson]]:
    """Every step of every way once, with the entities it lies between."""
    found: dict[tuple[str, str], tuple[StepJson, EntityJson, EntityJson]] = {}
    for way in ways:
        for step, (left, right) in zip(way.steps, pairwise(way.entities), strict=True):
            found.setdefault((left.id, right.id), (step, left, right))
    return list(found.values())


def passage_rows(entity: NeighbourhoodJson) -> list[dict[str, object]]:
    """The sentences that name an entity, in one group."""
    return [_evidence_row(entity.passages, entity.total_passages)] if entity.passages else []


def theme_rows(communities: Sequence[CommunityJson]) -> list[dict[str, object]]:
    """Groups of entities with what is said of them."""
    return [
        {
            "id": each.id,
            "title": each.label,
            "kind": None,
            "facts": [f"{each.size:,} entities", format_count(each.documents, "document")],
            "goes": "",
            "text": "" if _quotes_sources(each) else each.summary,
            "names": [_entity_chip(entity) for entity in each.entities],
            "sentences": [_evidence_sentence(one) for one in each.evidence],
            "more": "",
        }
        for each in communities
    ]


def citations_of(evidence: Sequence[EvidenceJson]) -> list[CitationJson]:
    """Sentences as citations, numbered from 1, so that they open as those of an answer do."""
    return [
        CitationJson.model_validate(CitationJson.read_attributes(each, n=number, warning=None))
        for number, each in enumerate(evidence, 1)
    ]


def _entity_chip(entity: EntityJson, note: str = "") -> dict[str, object]:
    return {"id": entity.id, "name": entity.name, "kind": kind_mark(entity.kind), "note": note}


def _quotes_sources(community: CommunityJson) -> bool:
    """Whether the summary is made of the sentences that are shown with it."""
    rest = community.summary
    for each in community.evidence:
        rest = rest.replace(each.quote, "")
    return not rest.strip()


def _entity_node(entity: EntityJson, role: Role = "entity", note: str = "") -> Node:
    title = ", ".join(part for part in (entity.name, kind_name(entity.kind).lower(), note) if part)
    return Node(entity.id, entity.name, role, kind_mark(entity.kind), title)


def _step_label(step: StepJson) -> str:
    """What stands on a line: how the two are related where a sentence says it, else how many name both."""
    return shorten_text(step.predicates[0], PREDICATE_CHARACTERS) if step.predicates else _count_sentences(step)


def _count_sentences(step: StepJson | LinkJson) -> str:
    return format_count(step.sentences, "sentence")


def _behind_facts(step: StepJson | LinkJson) -> list[str]:
    return [*step.predicates[:MOST_PREDICATES], _count_sentences(step)]


def _evidence_row(
    evidence: Sequence[EvidenceJson], all_of_them: int, known: Iterable[EntityJson] = (), **head: object
) -> dict[str, object]:
    names = {entity.id: entity.name for entity in known}
    rest = all_of_them - len(evidence)
    return {
        "id": "",
        "title": "",
        "kind": None,
        "facts": [],
        "goes": "",
        "text": "",
        "names": [],
        **head,
        "sentences": [_evidence_sentence(each, names) for each in evidence],
        "more": f"and {format_count(rest, 'more sentence')}" if rest > 0 and evidence else "",
    }


def _evidence_sentence(evidence: EvidenceJson, names: Mapping[str, str] | None = None) -> dict[str, object]:
    where = [evidence.title, evidence.place.label, format_day(evidence.published_at)]
    return {
        "quote": evidence.quote,
        "where": " · ".join(dict.fromkeys(part for part in where if part)),
        "relation": _relation_statement(evidence.relation, names or {}),
    }


def _relation_statement(relation: RelationJson | None, names: Mapping[str, str]) -> str:
    """What was read out of a sentence; entities that are ``names`` by their ids as they are written."""
    if relation is None:
        return ""
    subject, end = (names.get(each, each) for each in (relation.subject, relation.object))
    return f"{subject} → {relation.predicate} → {end}"
