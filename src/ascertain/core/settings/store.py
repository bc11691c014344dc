"""Settings of the stores: where the knowledge base is stored, and its knowledge graph."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from ascertain.core.settings.section import Section, Table


class HnswSettings(Table):
    """Of the graph that server stores search vectors with (Malkov & Yashunin 2018).

    Raise ef_search, the candidates of a search, first where passages are missed; more neighbours (m) and more
    candidates when a vector is added (ef_construction) find more too, cost space and time, and need a rebuild.
    """

    m: int = Field(
        default=16,
        ge=4,
        le=100,
        description="Neighbours of a vector in the graph; more find more and cost space, for millions of chunks.",
    )
    ef_construction: int = Field(
        default=128,
        ge=8,
        le=1000,
        description="Candidates looked at when a vector is added; more for a better graph that is built slower.",
    )
    ef_search: int = Field(
        default=400,
        ge=10,
        le=1000,
        description="Candidates looked at in a search, at least; more where passages are missed, fewer to be quicker.",
    )

    @model_validator(mode="after")
    def _breadth_suffices(self) -> Self:
        if self.ef_construction < 2 * self.m:
            raise ValueError(f"ef_construction ({self.ef_construction}) must be at least twice m ({self.m})")
        return self


class StoreSettings(Section):
    """The knowledge base's storage."""

    kind: str = Field(
        default="embedded",
        description="embedded, postgres, qdrant or chroma, or a kind from a plug-in; a server where several "
        "machines share a knowledge base.",
    )
    url: str = Field(
        default="",
        description="Address of the server: postgresql://user@host/database, http://host:6333 (qdrant) or "
        "http://host:8000 (chroma). Without one, chroma runs inside this process and keeps its files "
        "in the home.",
    )
    name: str = Field(
        default="ascertain",
        pattern=r"^[a-z][a-z0-9_]{2,47}$",
        description="Schema (postgres) or collection (qdrant, chroma) that holds the knowledge base; one "
        "for each knowledge base on a server.",
    )
    key_variable: str = Field(
        default="ASCERTAIN_STORE_KEY",
        description="Environment variable with the server's password or API key, where the address has none; "
        "another where two servers are used.",
    )
    conversations_url: str = Field(
        default="",
        description="PostgreSQL address for conversations, where the store cannot hold them (qdrant, "
        "chroma); empty keeps them in the home.",
    )
    connections: int = Field(
        default=8,
        ge=1,
        le=1000,
        description="Most connections to the server at a time, for each process; fewer where many processes "
        "share its limit.",
    )
    timeout_seconds: float = Field(
        default=30,
        gt=0,
        le=3600,
        description="How long one operation of the server may take; longer for millions of chunks on slow disks.",
    )
    hnsw: HnswSettings = HnswSettings()
    exact_limit: int = Field(
        default=50_000,
        ge=0,
        description="Chunks up to which vectors are searched exactly, by HNSW above; higher where no "
        "passage may be missed, lower to be quick.",
    )
    lock_seconds: float = Field(
        default=60, ge=0, description="How long a second writer waits for the first; longer where large additions meet."
    )
    title_boost: float = Field(
        default=0,
        ge=0,
        le=10,
        description="Weight of a word's score in the title, beside its score in the text; for documents "
        "that are looked for by their titles.",
    )

    @property
    def is_shared(self) -> bool:
        """Whether the knowledge base is on a server, where several machines can use it."""
        return self.kind in {"postgres", "qdrant"}

    def in_folder(self) -> StoreSettings:
        """The same for a separate knowledge base in a folder, whatever server these settings name."""
        return self.model_copy(update={"kind": "embedded", "url": "", "conversations_url": ""})


GRAPH_KEY_VARIABLE = "ASCERTAIN_GRAPH_KEY"
"""Environment variable with the password for the Bolt server."""


class GraphSettings(Section):
    """Names and relations read from the documents, and what they are used for."""

    build: bool = Field(
        default=True, description="Read the graph out of documents as they are added; false makes adding quicker."
    )
    extractor: Literal["auto", "rules", "spacy", "model"] = Field(
        default="auto",
        description="rules needs nothing; spacy needs the extra nlp; model asks the chat model for typed "
        "relations and costs its calls; auto is spacy where it is installed, else rules.",
    )
    pipeline: str = Field(
        default="",
        description="spaCy pipeline that recognises names (spacy): a package or a folder; empty is the small "
        "English one, name one for another language.",
    )
    use: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="Whether questions use the graph: auto decides for each question; never to compare without it.",
    )
    store: Literal["auto", "neo4j"] = Field(
        default="auto",
        description="auto keeps the graph with the documents; neo4j keeps it on the server at graph.url, "
        "where others query it too.",
    )
    url: str = Field(
        default="bolt://localhost:7687", description="Address of the Bolt server, where it is on another machine."
    )
    user: str = Field(default="neo4j", description="User on the Bolt server, where it is not the usual one.")
    database: str = Field(
        default="", description="Database on the Bolt server; empty is the user's own, name one where it holds several."
    )
    model_budget_usd: float = Field(
        default=1.0,
        ge=0,
        description="Reading by chat model, and describing figures, each stop before they have cost more in one run; raise it for "
        "large collections.",
    )
    model_calls: int = Field(
        default=10_000, ge=0, description="Both stop after so many calls in one run; for models without a price."
    )
