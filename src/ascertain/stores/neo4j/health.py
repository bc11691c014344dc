"""Whether what is on the server fits together, and whether its indexes are in use."""

from __future__ import annotations

from typing import LiteralString

from ascertain.stores.escaping import escaped
from ascertain.stores.graph_checks import claimed, described
from ascertain.stores.neo4j.connection import Work, rows, value
from ascertain.stores.ports import HealthReport

_OF_BASE = "MATCH (t:AscertainTenant {base: $base}) MATCH (d:AscertainDocument) WHERE d.scope = t.uid "
_STORED: dict[str, LiteralString] = {
    "chunks": f"{_OF_BASE} MATCH (d)-[:HAS_CHUNK]->(c:AscertainChunk) RETURN count(c)",
    "mentions": f"{_OF_BASE} MATCH (d)-[:HAS_CHUNK]->(:AscertainChunk)-[m:MENTIONS]->(:AscertainName) RETURN count(m)",
    "relations": f"{_OF_BASE} MATCH (d)-[:HAS_CHUNK]->(:AscertainChunk)-[:STATES]->(r:AscertainRelation) RETURN count(r)",
    "aliases": f"{_OF_BASE} MATCH (d)-[:HAS_CHUNK]->(:AscertainChunk)-[:CLAIMS]->(a:AscertainAlias) RETURN count(a)",
}
_OF_NAMES = "MATCH (t:AscertainTenant {base: $base}) MATCH (n:AscertainName) WHERE n.scope = t.uid "


def report(tx: Work, base: str) -> HealthReport:
    """What there is of all tenants of a knowledge base, and what is wrong."""
    here = escaped(base)
    summing = f"{_OF_BASE} RETURN count(d), sum(d.chunks), sum(d.mentions), sum(d.relations), sum(d.aliases)"
    documents, *claims = map(int, next(rows(tx, summing, base=here)))
    problems: list[str] = []
    for (name, query), claim in zip(_STORED.items(), claims, strict=True):
        count = value(tx, query, base=here)
        if count != claim:
            problems.append(claimed(name, claim, count))
    unused = value(
        tx, f"{_OF_NAMES} AND NOT EXISTS {{ MATCH (n)<-[:MENTIONS]-() }} RETURN count(n)", base=here
    )
    if unused:
        problems.append(f"{unused} names are mentioned nowhere")
    problems += [
        f"the index {name} is {str(state).lower()}"
        for name, state, labels in rows(tx, "SHOW INDEXES YIELD name, state, labelsOrTypes")
        if state != "ONLINE" and any(str(label).startswith("Ascertain") for label in labels or ())
    ]
    names = value(tx, f"{_OF_NAMES} WITH DISTINCT n.scope AS s, n.key AS k RETURN count(*)", base=here)
    return HealthReport(tuple(problems), described(documents, names, claims[1], claims[2]))
