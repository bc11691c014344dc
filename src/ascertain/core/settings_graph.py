"""The knowledge graph."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ascertain.core.settings_section import Section


class GraphSettings(Section):
    """Names and relations read from the documents, and what they are used for."""

    build: bool = Field(default=True, description="Read the graph out of documents as they are added.")
    extractor: Literal["auto", "rules", "spacy", "model"] = Field(
        default="auto",
        description="rules needs nothing; spacy needs the extra nlp; model asks the chat model for typed relations and costs its calls; "
        "auto is spacy where it is installed, else rules.",
    )
    pipeline: str = Field(
        default="",
        description="spaCy pipeline that recognises names (spacy): a package or a folder; empty is the small English one.",
    )
    use: Literal["auto", "always", "never"] = Field(
        default="auto", description="Whether questions use the graph: auto decides for each question."
    )
    store: Literal["auto", "neo4j"] = Field(
        default="auto",
        description="auto keeps the graph with the documents; neo4j keeps it on the server at graph.url.",
    )
    url: str = Field(default="bolt://localhost:7687", description="Address of the Bolt server (neo4j).")
    user: str = Field(default="neo4j", description="User on the Bolt server.")
    database: str = Field(default="", description="Database on the Bolt server; empty is the user's own.")
    key_variable: str = Field(
        default="ASCERTAIN_GRAPH_KEY",
        description="Environment variable with the password for the Bolt server.",
    )
    model_budget_usd: float = Field(
        default=1.0, ge=0, description="Reading by chat model stops before it has cost more in one run."
    )
    model_calls: int = Field(
        default=10_000, ge=0, description="Reading by chat model stops after so many calls in one run."
    )
