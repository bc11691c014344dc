"""Settings of ingest: how documents are cut, embedded and written, and on which machines."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from ascertain.core.settings_section import Section


class ChunkerSettings(Section):
    """Sizes in characters. Recursive for prose and articles, by section for papers, by turn for transcripts."""

    size: int = Field(default=1000, ge=100, le=20_000, description="Longest chunk, in characters.")
    overlap: int = Field(
        default=150, ge=0, le=5_000, description="Characters shared by neighbouring chunks of prose."
    )
    paper_overlap: float = Field(
        default=0.2, ge=0, le=0.5, description="Share of a chunk repeated in the next, in papers."
    )
    minimum: int = Field(
        default=100, ge=0, le=2_000, description="Shortest chunk of a paper; shorter rests join a neighbour."
    )
    parent_size: int = Field(
        default=4000, ge=500, le=50_000, description="Size of the parent chunks used for context."
    )

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        if self.overlap >= self.size:
            raise ValueError(f"overlap ({self.overlap}) must be smaller than size ({self.size})")
        if self.minimum > self.size:
            raise ValueError(f"minimum ({self.minimum}) must not exceed size ({self.size})")
        if self.parent_size < self.size:
            raise ValueError(f"parent_size ({self.parent_size}) must not be smaller than size ({self.size})")
        return self


class RaySettings(Section):
    """Ingest on a cluster (``ingest.engine = "ray"``)."""

    address: str = Field(
        default="",
        description="Cluster to join: auto for the one on this machine, or host:port; empty starts one on this machine.",
    )
    workers: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="Embedding models at work at a time; 0 is one for each CPU share.",
    )
    cpus_per_worker: float = Field(
        default=1,
        gt=0,
        le=256,
        description="CPUs of a worker: an embedding model with the reading and writing it keeps busy.",
    )
    gpus_per_worker: float = Field(
        default=0, ge=0, le=16, description="GPUs of an embedding model; workers go where there are some."
    )
    writers: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Processes that write to the store; 0 is one for every four workers.",
    )
    attempts: int = Field(
        default=3,
        ge=2,
        le=10,
        description="How often a file or document is tried whose worker dies, before it is reported as failed.",
    )
    store_wait_seconds: float = Field(
        default=60, ge=0, le=3600, description="How long writing waits for a store that is away to come back."
    )


class IngestSettings(Section):
    """Reading and writing documents."""

    engine: Literal["local", "ray"] = Field(
        default="local", description="local works in this process, ray on a cluster into a server store."
    )
    ray: RaySettings = RaySettings()
    chunker: ChunkerSettings = ChunkerSettings()
    max_file_bytes: int = Field(
        default=200_000_000, ge=1, description="Larger files are refused with a message."
    )
    max_text_characters: int = Field(
        default=20_000_000, ge=1, description="Longer texts are refused with a message."
    )
    duplicate_threshold: float = Field(
        default=0.8,
        ge=0.5,
        le=1,
        description="Jaccard similarity from which two articles are the same story.",
    )
    profile_sample: int = Field(
        default=6_000,
        ge=500,
        le=1_000_000,
        description="Characters of a document that its profile is made from, from its beginning, middle and end.",
    )
    embed_batch: int = Field(
        default=32, ge=1, le=1024, description="Texts embedded in one call of the model."
    )
    write_batch: int = Field(
        default=256, ge=1, description="Chunks after which finished documents are written."
    )
