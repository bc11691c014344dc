"""Constraints and indexes, made when the graph is opened."""

from __future__ import annotations

from typing import LiteralString

from ascertain.stores.neo4j.connection import Bolt, Work, run

STATEMENTS: tuple[LiteralString, ...] = (
    "CREATE CONSTRAINT ascertain_tenant IF NOT EXISTS FOR (t:AscertainTenant) REQUIRE t.uid IS UNIQUE",
    "CREATE CONSTRAINT ascertain_document IF NOT EXISTS FOR (d:AscertainDocument) REQUIRE d.uid IS UNIQUE",
    "CREATE CONSTRAINT ascertain_name IF NOT EXISTS FOR (n:AscertainName) REQUIRE n.uid IS UNIQUE",
    "CREATE CONSTRAINT ascertain_pin IF NOT EXISTS FOR (p:AscertainPin) REQUIRE p.uid IS UNIQUE",
    "CREATE CONSTRAINT ascertain_summary IF NOT EXISTS FOR (s:AscertainSummary) REQUIRE s.uid IS UNIQUE",
    "CREATE INDEX ascertain_documents IF NOT EXISTS FOR (d:AscertainDocument) ON (d.scope)",
    "CREATE INDEX ascertain_names IF NOT EXISTS FOR (n:AscertainName) ON (n.scope)",
    "CREATE INDEX ascertain_keys IF NOT EXISTS FOR (n:AscertainName) ON (n.key)",
    "CREATE INDEX ascertain_pins IF NOT EXISTS FOR (p:AscertainPin) ON (p.scope)",
    "CREATE INDEX ascertain_summaries IF NOT EXISTS FOR (s:AscertainSummary) ON (s.scope)",
)


def prepare(bolt: Bolt) -> None:
    """Make what is missing. What changes the schema stands in a transaction of its own, as Neo4j wants it."""
    for statement in STATEMENTS:

        def make(tx: Work, statement: LiteralString = statement) -> None:
            run(tx, statement)

        bolt.change(make)
