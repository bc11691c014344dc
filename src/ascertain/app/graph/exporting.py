"""Writing the graph to a file for other programs: GraphML, which Gephi, yEd and networkx read, or JSON."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from ascertain.app.graph.view import GraphView
from ascertain.core.errors import UsageError
from ascertain.core.graph.results import EntityView, ExportReport, GraphFormat
from ascertain.stores.ports.graph import Indices

FORMATS: dict[str, GraphFormat] = {".graphml": "graphml", ".xml": "graphml", ".json": "json"}

_NODE_FIELDS = {"name": "string", "kind": "string", "aliases": "string", "mentions": "int", "documents": "int"}
_EDGE_FIELDS = {"weight": "double", "sentences": "int", "predicates": "string"}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that an XML 1.0 document cannot hold at all (production 2 of the recommendation)."""


@dataclass(frozen=True, slots=True)
class ExportedLink:
    """Two entities by id, how strongly they are linked, 0..1, in how many sentences, and what these say."""

    left: str
    right: str
    weight: float
    sentences: int
    predicates: tuple[str, ...]


def format_of(file: Path, wanted: GraphFormat | None) -> GraphFormat:
    """The format named, or that of the file's ending; UsageError when neither says."""
    found = wanted or FORMATS.get(file.suffix.lower())
    if found is None:
        raise UsageError(f"{file}: name it .graphml or .json, or say which with --format")
    return found


def export_graph(view: GraphView, file: Path, format: GraphFormat) -> ExportReport:
    """Write all of ``view``. The file appears whole or not at all; raises OSError when it cannot be written."""
    partial = file.with_name(f".{file.name}.part")
    try:
        with partial.open("w", encoding="utf-8", errors="replace") as out:
            writer = _write_graphml if format == "graphml" else _write_json
            entities, links = writer(view, out)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
    return ExportReport(str(file), format, entities, links)


def count_pairs(view: GraphView) -> tuple[Indices, Indices, Indices]:
    """Every two entities that a visible sentence names together, the lower number first, and in how many sentences."""
    snapshot, rows = view.snapshot, view.shown
    named = np.unique(snapshot.sentence_group[rows].astype(np.int64) << 32 | snapshot.mention_entity[rows])
    sentences, entities = named >> 32, named & 0xFFFFFFFF
    together: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    for distance in range(1, len(named)):
        is_one = sentences[distance:] == sentences[:-distance]
        if not is_one.any():
            break  # no sentence names more
        together.append(entities[:-distance][is_one] << 32 | entities[distance:][is_one])
    found, counts = np.unique(np.concatenate(together), return_counts=True)
    lefts, rights = found >> 32, found & 0xFFFFFFFF
    return lefts.astype(np.int32), rights.astype(np.int32), counts.astype(np.int32)


def _list_links(view: GraphView) -> Iterator[ExportedLink]:
    snapshot = view.snapshot
    lefts, rights, shared = count_pairs(view)
    sizes = snapshot.place_counts
    said: dict[tuple[int, int], set[str]] = {}
    for relation, ends in zip(snapshot.relations, snapshot.relation_ends.tolist(), strict=True):
        if view.shows(relation.chunk_id):
            said.setdefault((min(ends), max(ends)), set()).add(relation.predicate)
    for left, right, count in zip(lefts.tolist(), rights.tolist(), shared.tolist(), strict=True):
        weight = min(1.0, count / float(np.sqrt(sizes[left] * sizes[right])))
        predicates = tuple(sorted(said.get((left, right), ())))
        ends = snapshot.keys[int(left)], snapshot.keys[int(right)]
        yield ExportedLink(*ends, round(weight, 6), count, predicates)


def _write_json(view: GraphView, out: IO[str]) -> tuple[int, int]:
    entities = links = 0
    out.write('{"entities": [')
    for entity in view.top(view.snapshot.size):
        out.write(",\n" if entities else "\n")
        json.dump(_entity_fields(entity) | {"id": entity.id, "aliases": list(entity.aliases)}, out, ensure_ascii=False)
        entities += 1
    out.write('\n], "links": [')
    for link in _list_links(view):
        out.write(",\n" if links else "\n")
        fields = {"left": link.left, "right": link.right, "weight": link.weight, "sentences": link.sentences}
        json.dump({**fields, "predicates": list(link.predicates)}, out, ensure_ascii=False)
        links += 1
    out.write("\n]}\n")
    return entities, links


def _write_graphml(view: GraphView, out: IO[str]) -> tuple[int, int]:
    """GraphML as http://graphml.graphdrawing.org specifies it; lists are joined by " | "."""
    entities = links = 0
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
    for what, fields in (("node", _NODE_FIELDS), ("edge", _EDGE_FIELDS)):
        for name, kind in fields.items():
            out.write(f'  <key id="{name}" for="{what}" attr.name="{name}" attr.type="{kind}"/>\n')
    out.write('  <graph edgedefault="undirected">\n')
    for entity in view.top(view.snapshot.size):
        out.write(f"    <node id={_quote_attribute(entity.id)}>{_format_data(_entity_fields(entity))}</node>\n")
        entities += 1
    for link in _list_links(view):
        data = {"weight": link.weight, "sentences": link.sentences, "predicates": " | ".join(link.predicates)}
        ends = f"source={_quote_attribute(link.left)} target={_quote_attribute(link.right)}"
        out.write(f"    <edge {ends}>{_format_data(data)}</edge>\n")
        links += 1
    out.write("  </graph>\n</graphml>\n")
    return entities, links


def _entity_fields(entity: EntityView) -> dict[str, object]:
    return {
        "name": entity.name,
        "kind": entity.kind,
        "aliases": " | ".join(entity.aliases),
        "mentions": entity.mentions,
        "documents": entity.documents,
    }


def _format_data(fields: Mapping[str, object]) -> str:
    return "".join(f'<data key="{name}">{escape(_clean_xml(str(value)))}</data>' for name, value in fields.items())


def _quote_attribute(text: str) -> str:
    return quoteattr(_clean_xml(text))


def _clean_xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
