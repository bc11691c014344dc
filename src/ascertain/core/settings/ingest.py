"""Settings of ingest: how documents are cut, embedded and written, and on which machines."""

from typing import Literal, Self

from pydantic import Field, model_validator

from ascertain.core.settings.section import Section


class ChunkerSettings(Section):
    """Sizes in characters. Recursive for prose and articles, by section for papers, by turn for transcripts."""

    size: int = Field(
        default=1000,
        ge=100,
        le=20_000,
        description="Longest chunk, in characters; shorter for facts, longer for arguments, and with it the "
        "documents are added again.",
    )
    overlap: int = Field(
        default=150,
        ge=0,
        le=5_000,
        description="Characters shared by neighbouring chunks of prose; more where answers are cut in two.",
    )

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        if self.overlap >= self.size:
            raise ValueError(f"overlap ({self.overlap}) must be smaller than size ({self.size})")
        return self


class RaySettings(Section):
    """Ingest on a cluster (``ingest.engine = "ray"``)."""

    address: str = Field(
        default="",
        description="Cluster to join: auto for the one on this machine, or host:port; empty starts one on "
        "this machine.",
    )
    workers: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="Embedding models at work at a time; 0 is one for each CPU share, fewer where others use "
        "the cluster too.",
    )
    cpus_per_worker: float = Field(
        default=1,
        gt=0,
        le=256,
        description="CPUs of a worker: an embedding model with the reading and writing it keeps busy; more "
        "for a large model.",
    )
    gpus_per_worker: float = Field(
        default=0,
        ge=0,
        le=16,
        description="GPUs of an embedding model; workers go where there are some, a part of one for a small model.",
    )
    store_wait_seconds: float = Field(
        default=60,
        ge=0,
        le=3600,
        description="How long writing waits for a store that is away to come back; longer over a restart of "
        "the server.",
    )


class ReadingSettings(Section):
    """Limits for reading one file, in a separate process."""

    seconds: float = Field(
        default=120,
        gt=0,
        le=86_400,
        description="Longest time to read a file, or the next document of a table; more for books of ten thousand pages "
        "on a slow machine.",
    )
    memory_bytes: int = Field(
        default=2_000_000_000,
        ge=300_000_000,
        description="Memory of the process that reads a file; less where strangers upload to a small machine.",
    )
    unpacked_bytes: int = Field(
        default=100_000_000,
        ge=1_000_000,
        description="What the text of a Word file, or one packed part of a PDF, may unpack to; more for a document that "
        "is refused for it and is known to be good.",
    )


class IngestSettings(Section):
    """Reading and writing documents."""

    engine: Literal["local", "ray"] = Field(
        default="local",
        description="local works in this process, ray on a cluster into a server store, for millions of documents.",
    )
    ray: RaySettings = RaySettings()
    chunker: ChunkerSettings = ChunkerSettings()
    reading: ReadingSettings = ReadingSettings()
    describe_figures: bool = Field(
        default=False,
        description="Whether a chat model that reads images (models.chat, describe) describes pictures and charts; add shows the price and asks. "
        "For documents that say in pictures what their text does not.",
    )
    max_file_bytes: int = Field(
        default=200_000_000, ge=1, description="Larger files are refused with a message; raise it for a book of scans."
    )
    follow_links: bool = Field(
        default=False,
        description="Whether links in a folder are followed that lead out of it; on only if everyone who can write to the folder may have "
        "anything read that you may read.",
    )
    sync_share: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="Largest share of a folder's documents that add --sync deletes, because their files are gone; with more nothing is "
        "deleted. 1 for folders that are meant to be emptied.",
    )
    embed_batch: int = Field(
        default=32,
        ge=1,
        le=1024,
        description="Texts embedded in one call of the model; more on a GPU, fewer where memory is short.",
    )
    write_batch: int = Field(
        default=256,
        ge=1,
        description="Chunks after which finished documents are written at the latest; the first ones, and where the model is "
        "slow, are written sooner, so that a kill loses five seconds of work; more for a server far away, fewer to "
        "find documents sooner.",
    )
