"""Sources that are synced repeatedly: their records, and requests about them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from ascertain.app.wire.documents import FailureJson, ReportJson
from ascertain.app.wire.requests import MOST_VALUES, Body, Profile, Short, Tag
from ascertain.app.wire.shape import Date, NounShape, Shape
from ascertain.core.documents.sources import INTERVALS, SOURCE_NAME, SourceOutcome, SourceRecord

SourceStateName = Literal["new", "reading", "read", "failed", "interrupted"]


class SourceOutcomeJson(NounShape[SourceOutcome]):
    """The report of the last sync, in documents."""

    added: int = Field(examples=[12])
    changed: int = Field(examples=[1])
    unchanged: int = Field(examples=[230])
    deleted: int = Field(examples=[0])
    failed: int = Field(examples=[1])
    failures: list[FailureJson] = Field(description="The first of those that failed.")
    notes: list[str] = Field(examples=[[]])


class RecordedSourceJson(NounShape[SourceRecord]):
    """A stored source."""

    name: str = Field(examples=["handbook"])
    kind: str = Field(description="An entry point of `ascertain.sources`.", examples=["files"])
    address: str = Field(examples=["s3://company/handbook"])
    options: dict[str, str] = Field(
        description="Secrets are references, never shown.", examples=[{"secret": "env:S3_SECRET"}]
    )
    profile: str = Field(examples=["docs"])
    tags: list[str] = Field(examples=[["handbook"]])
    readers: list[str] = Field(
        description="Users whose view is read; empty means what everyone may see.", examples=[[]]
    )
    interval_seconds: int = Field(description="0 means only on request.", examples=[3600])
    state: SourceStateName = Field(examples=["read"])
    reason: str = Field(description="Why the last reading failed.", examples=[""])
    added_at: Date = Field(examples=["2024-12-05T18:00:00+00:00"])
    started_at: Date | None = Field(description="When the last sync began.", examples=["2024-12-05T18:00:00+00:00"])
    read_at: Date | None = Field(
        description="When it was last read to its end.", examples=["2024-12-05T18:00:07+00:00"]
    )
    next_at: Date | None = Field(
        description="When `serve` or `watch` reads it again; null for never.", examples=["2024-12-05T19:00:00+00:00"]
    )
    outcome: SourceOutcomeJson


class SourceListJson(Shape):
    """The stored sources, by name."""

    sources: list[RecordedSourceJson]


class SyncedSourceJson(Shape):
    """A source that was synced now."""

    source: RecordedSourceJson
    report: ReportJson


class RemovedSourceJson(Shape):
    """A source that was removed."""

    removed: str = Field(examples=["handbook"])
    deleted: int = Field(description="Its documents that were deleted.", examples=[242])


class SourceBody(Body):
    """A source to add."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "address": "s3://company/handbook",
                    "name": "handbook",
                    "options": {"key": "env:S3_KEY", "secret": "env:S3_SECRET"},
                    "every": "6h",
                }
            ]
        }
    )

    address: Short
    name: Annotated[str, Field(pattern=f"^{SOURCE_NAME}$")] | None = None
    kind: Annotated[str, Field(max_length=60)] | None = Field(
        default=None, description="If the address does not show it: an entry point of `ascertain.sources`."
    )
    options: dict[Annotated[str, Field(max_length=100)], Short] = Field(
        default={},
        max_length=MOST_VALUES,
        description="Options of the kind; secrets as `env:NAME` or `keyring:SERVICE/USER`.",
    )
    every: Annotated[str, Field(max_length=10)] = Field(default="1h", description=f"How often it is read: {INTERVALS}.")
    profile: Profile | None = None
    tags: list[Tag] = Field(default=[], max_length=MOST_VALUES)
    readers: list[Tag] = Field(default=[], max_length=MOST_VALUES, description="Whose view is read.")
    read: bool = Field(default=True, description="Whether it is read now, by a background job.")
