"""The knowledge graph on a Neo4j server, or another that speaks Bolt and Cypher, beside any store for the
documents.

Nodes and relationships that can be queried by hand (docs/stores.md has examples):

    (:AscertainDocument)-[:HAS_CHUNK]->(:AscertainChunk)-[:MENTIONS]->(:AscertainName)
    (:AscertainChunk)-[:STATES]->(:AscertainRelation),  (:AscertainChunk)-[:CLAIMS]->(:AscertainAlias)

``scope`` is the digest of knowledge base and tenant, ``uid`` one of what makes a node the only one of its kind: an
index cannot hold texts of any length. A writer changes the AscertainTenant first, which blocks its other writers
until the end of the transaction, or makes the driver retry one of the two.
"""

from importlib.util import find_spec

from ascertain.core.errors import MissingExtra

if find_spec("neo4j") is None:
    raise MissingExtra("The Neo4j graph store", "neo4j")
