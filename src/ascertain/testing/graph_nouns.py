"""Graphs of documents, and what a store that was given them should give back, computed the long way."""

# pyright: basic

from __future__ import annotations

from ascertain.core.graph import AliasClaim, DocumentGraph, Mention, Name, Relation, Role
from ascertain.core.spans import Span

SENTENCE = Span(0, 60)
ROLES = list(Role)


def a_graph(document_id="d1", names=("ada", "bob"), chunks=2, *, version="v1", tenant="default", talk=None):
    """A document whose chunks name these one after the other, where the first founded the last, also known as itself."""
    chunk_ids = tuple(f"{document_id}:{place}" for place in range(chunks))
    mentions = tuple(
        a_mention(name, chunk_ids[place % chunks], 5 * place) for place, name in enumerate(names)
    )
    relations = (Relation(names[0], "founded", names[-1], chunk_ids[-1], SENTENCE),) if names else ()
    aliases = (AliasClaim(names[0], names[-1], chunk_ids[0], Span(0, 3), "also known as"),) if names else ()
    return DocumentGraph(document_id, version, chunk_ids, mentions, relations, aliases, talk, tenant)


def a_mention(name, chunk_id, start=0, role=Role.NAMED):
    written = name if isinstance(name, Name) else Name(name, name.upper(), "Person")
    return Mention(written, chunk_id, Span(start, start + 3), SENTENCE, role)


def shown(columns):
    """All that columns hold but the generation, comparable."""
    return {
        "documents": list(columns.documents),
        "conversations": list(columns.conversations),
        "chunk_ids": list(columns.chunk_ids),
        "chunk_document": columns.chunk_document.tolist(),
        "names": list(columns.names),
        "mention_name": columns.mention_name.tolist(),
        "mention_chunk": columns.mention_chunk.tolist(),
        "mention_sentence": columns.mention_sentence.tolist(),
        "mention_role": columns.mention_role.tolist(),
        "relations": list(columns.relations),
        "aliases": list(columns.aliases),
    }


def expected(graphs):
    """What ``shown`` gives of these documents of one tenant."""
    documents = sorted(graphs, key=lambda graph: graph.document_id)
    chunks = [(place, chunk_id) for place, one in enumerate(documents) for chunk_id in one.chunk_ids]
    placed = {
        (documents[place].document_id, chunk_id): number for number, (place, chunk_id) in enumerate(chunks)
    }
    names = sorted({mention.name for one in documents for mention in one.mentions})
    mentions = sorted(
        (placed[one.document_id, said.chunk_id], said.span.start, said.name, *mention_rest(said))
        for one in documents
        for said in one.mentions
    )
    relations = sorted(
        (placed[one.document_id, said.chunk_id], said.sentence.start, *relation_rest(said), said)
        for one in documents
        for said in one.relations
    )
    aliases = sorted(
        (placed[one.document_id, said.chunk_id], said.span.start, *alias_rest(said), said)
        for one in documents
        for said in one.aliases
    )
    return {
        "documents": [one.document_id for one in documents],
        "conversations": [one.conversation_id for one in documents],
        "chunk_ids": [chunk_id for _, chunk_id in chunks],
        "chunk_document": [place for place, _ in chunks],
        "names": names,
        "mention_name": [names.index(row[2]) for row in mentions],
        "mention_chunk": [row[0] for row in mentions],
        "mention_sentence": [row[4] for row in mentions],
        "mention_role": [row[6] for row in mentions],
        "relations": [row[-1] for row in relations],
        "aliases": [row[-1] for row in aliases],
    }


def mention_rest(said):
    return said.span.end, said.sentence.start, said.sentence.end, ROLES.index(said.role)


def relation_rest(said):
    return said.subject, said.predicate, said.object, said.sentence.end, said.origin


def alias_rest(said):
    return said.alias, said.key, said.span.end, said.reason


def first_mentions(graphs, keys, limit):
    """What ``mentions`` gives."""
    found = [
        (
            one.document_id,
            one.chunk_ids.index(said.chunk_id),
            said.span.start,
            said.name,
            *mention_rest(said),
            said,
        )
        for one in graphs
        for said in one.mentions
        if said.name.key in keys
    ]
    return [row[-1] for row in sorted(found, key=lambda row: row[:-1])[:limit]]
