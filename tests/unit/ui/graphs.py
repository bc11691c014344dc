"""The graph as the service gives it."""

from answers import a_place

from ascertain.wire.graph import CommunityJson, EntityJson, EvidenceJson, LinkJson, NeighbourhoodJson, StepJson, WayJson


def an_entity(name="Ada Lovelace", **fields):
    usual = {"id": name.casefold(), "name": name, "kind": "", "aliases": [], "mentions": 3, "documents": 2}
    return EntityJson.model_validate({**usual, **fields})


def a_sentence_of(quote="Ada Lovelace worked with Charles Babbage.", **fields):
    usual = {
        "chunk_id": "d1:0-50",
        "document_id": "d1",
        "title": "Engines",
        "url": None,
        "published_at": None,
        "quote": quote,
        "span": [0, len(quote)],
        "place": a_place(),
        "source": "upload:engines.md",
        "relation": None,
    }
    return EvidenceJson.model_validate({**usual, **fields})


def a_step(weight=0.5, sentences=1, evidence=None, predicates=()):
    shown = [a_sentence_of()] if evidence is None else evidence
    return StepJson(weight=weight, sentences=sentences, evidence=shown, predicates=list(predicates))


def a_link(name, **fields):
    entity = fields.pop("entity", None) or an_entity(name)
    return LinkJson(entity=entity, **dict(a_step(**fields)))


def a_neighbourhood(name="Ada Lovelace", links=(), **fields):
    usual = {
        "merges": [],
        "neighbours": list(links),
        "total_neighbours": len(links),
        "between": [],
        "passages": [],
        "total_passages": 0,
        "in_documents": [],
        "topics": [],
    }
    return NeighbourhoodJson.model_validate({**dict(an_entity(name)), **usual, **fields})


def a_way(*names, **step):
    return WayJson(entities=[an_entity(name) for name in names], steps=[a_step(**step) for _ in names[1:]])


def a_community(label="Engines", **fields):
    usual = {
        "id": "c1",
        "level": 0,
        "parent": None,
        "label": label,
        "size": 7,
        "documents": 1,
        "entities": [an_entity()],
        "summary": "Ada Lovelace worked with Charles Babbage.",
        "evidence": [a_sentence_of()],
    }
    return CommunityJson.model_validate({**usual, **fields})
