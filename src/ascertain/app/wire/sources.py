"""Sources that are synced repeatedly: their records, and requests about them."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from ascertain.app.wire.requests import MOST_VALUES, Body, Profile, Short, Tag
from ascertain.app.wire.shape import Shape
from ascertain.core.documents.ingest import IngestReport
from ascertain.core.documents.sources import INTERVALS, SOURCE_NAME, SourceRecord


class SourceListJson(Shape):
    """The stored sources, by name."""

    sources: list[SourceRecord]


class SyncedSourceJson(Shape):
    """A source that was synced now."""

    source: SourceRecord
    report: IngestReport


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
