"""Where the knowledge base is kept."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from ascertain.core.settings_section import Section


class HnswSettings(Section):
    """The graph that server stores search vectors with (HNSW: Malkov & Yashunin 2018)."""

    m: int = Field(
        default=16,
        ge=4,
        le=100,
        description="Neighbours of a vector in the graph; more find more and cost space.",
    )
    ef_construction: int = Field(
        default=128,
        ge=8,
        le=1000,
        description="Candidates looked at when a vector is added.",
    )
    ef_search: int = Field(
        default=400, ge=10, le=1000, description="Candidates looked at in a search, at least."
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
        description="embedded, postgres, qdrant or chroma, or a kind that another package brings.",
    )
    url: str = Field(
        default="",
        description="Address of the server: postgresql://user@host/database, http://host:6333 (qdrant) or "
        "http://host:8000 (chroma). Without one, qdrant and chroma run inside this process and keep their files in the home.",
    )
    name: str = Field(
        default="ascertain",
        pattern=r"^[a-z][a-z0-9_]{2,47}$",
        description="Schema (postgres) or collection (qdrant, chroma) that holds the knowledge base on the server.",
    )
    key_variable: str = Field(
        default="ASCERTAIN_STORE_KEY",
        description="Environment variable with the server's password or API key, where the address has none.",
    )
    conversations_url: str = Field(
        default="",
        description="PostgreSQL address for conversations, where the store cannot hold them (qdrant, chroma); empty keeps "
        "them in the home.",
    )
    connections: int = Field(
        default=8, ge=1, le=1000, description="Most connections to the server at a time, for each process."
    )
    timeout_seconds: float = Field(
        default=30, gt=0, le=3600, description="How long one operation of the server may take."
    )
    hnsw: HnswSettings = HnswSettings()
    exact_limit: int = Field(
        default=50_000, ge=0, description="Chunks up to which vectors are searched exactly; HNSW above."
    )
    lock_seconds: float = Field(default=60, ge=0, description="How long a second writer waits for the first.")
    title_boost: float = Field(
        default=0,
        ge=0,
        le=10,
        description="Weight of a word's score in the title, beside its score in the text.",
    )

    @property
    def is_shared(self) -> bool:
        """Whether the knowledge base is on a server, where several machines can use it."""
        return self.kind == "postgres" or (self.kind == "qdrant" and bool(self.url))

    def in_folder(self) -> StoreSettings:
        """The same for a knowledge base of its own in a folder, whatever server these settings name."""
        return self.model_copy(update={"kind": "embedded", "url": "", "conversations_url": ""})
