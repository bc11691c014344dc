"""Migrations: what one would copy, what it copied, and the check that both ends are equal."""

from __future__ import annotations

from dataclasses import dataclass

from ascertain.core.serialisation import Serialisable


@dataclass(frozen=True, slots=True)
class CopiedService:
    """What was written.

    ``waiting`` counts uploads left out, since the service at the source still has to read them.
    """

    keys: int = 0
    answers: int = 0
    files: int = 0
    waiting: int = 0
    notebooks: int = 0
    users: int = 0

    def __add__(self, other: CopiedService) -> CopiedService:
        """Of both together."""
        return CopiedService(
            self.keys + other.keys,
            self.answers + other.answers,
            self.files + other.files,
            self.waiting + other.waiting,
            self.notebooks + other.notebooks,
            self.users + other.users,
        )


@dataclass(frozen=True, slots=True)
class TenantPlan(
    Serialisable,
    examples={"tenant": "default", "documents": 42, "chunks": 118, "conversations": 2, "bytes": 251000, "present": 0},
):
    """What would be copied of a tenant."""

    tenant: str
    documents: int
    chunks: int
    conversations: int
    bytes: int
    """Of texts and vectors."""
    present: int
    """Documents that are at the target already."""


@dataclass(frozen=True, slots=True)
class MigrationPlan(
    Serialisable,
    names={"model": "embedding_model"},
    examples={
        "source": "team.kb",
        "target": "postgresql://me@db.example.org/knowledge#ascertain",
        "model": "all-MiniLM-L6-v2",
        "dimension": 384,
        "target_documents": 0,
    },
):
    """What would be copied, and what stands in its way."""

    source: str
    target: str
    model: str
    dimension: int
    tenants: tuple[TenantPlan, ...]
    target_exists: bool
    target_documents: int
    obstacles: tuple[str, ...]
    """Each a line that says what to do about it."""

    @property
    def documents(self) -> int:
        """In all tenants."""
        return sum(tenant.documents for tenant in self.tenants)

    @property
    def chunks(self) -> int:
        """In all tenants."""
        return sum(tenant.chunks for tenant in self.tenants)


@dataclass(frozen=True, slots=True)
class Content(
    Serialisable,
    examples={
        "documents": 42,
        "chunks": 118,
        "conversations": 2,
        "turns": 7,
        "checksum": "0f3a...",
        "conversation_checksum": "91bc...",
    },
):
    """What one end holds of a tenant."""

    documents: int
    chunks: int
    conversations: int
    turns: int
    checksum: str
    conversation_checksum: str


@dataclass(frozen=True, slots=True)
class TenantProof(Serialisable, examples={"tenant": "default"}):
    """Both ends of a tenant."""

    tenant: str
    source: Content
    target: Content


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What was copied and what the verification found; without ``differences`` both ends are equal.

    ``left_out`` lists the turns that were being answered, as tenant, conversation and turn. ``written`` and
    ``unchanged`` count documents, ``graphs`` those whose part of the graph was written, ``pins`` decisions
    about names, and ``service`` the records of a service.
    """

    source: str
    target: str
    written: int
    unchanged: int
    turns: int
    graphs: int
    pins: int
    service: CopiedService
    left_out: tuple[tuple[str, str, str], ...]
    tenants: tuple[TenantProof, ...]
    differences: tuple[str, ...]
    seconds: float
