"""The knowledge graph on a Neo4j server, or another that speaks Bolt and Cypher, beside whatever store has the
documents.

Nodes and relationships that can be asked by hand (docs/stores.md has examples):

    (:AscertainDocument)-[:HAS_CHUNK]->(:AscertainChunk)-[:MENTIONS]->(:AscertainName)
    (:AscertainChunk)-[:STATES]->(:AscertainRelation),  (:AscertainChunk)-[:CLAIMS]->(:AscertainAlias)

``scope`` is the digest of knowledge base and tenant, ``uid`` one of what makes a node the only one of its kind: an
index takes no text of any length. Whoever writes changes the AscertainTenant first, which keeps its other writers out
until the end of the transaction, or makes the driver run one of the two again.
"""

from importlib.util import find_spec

from ascertain.core.errors import MissingExtra

if find_spec("neo4j") is None:
    raise MissingExtra("The Neo4j graph store", "neo4j")
