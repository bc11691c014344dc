"""Migrations: what one would copy, what it copied, and whether both ends are equal."""

from typing import Self

from pydantic import Field

from ascertain.app.wire.shape import Number, Shape
from ascertain.core.service.migration import MigrationReport, TenantProof

SOURCE = "team.kb"
TARGET = "postgresql://me@db.example.org/knowledge#ascertain"


class LeftTurnJson(Shape):
    """A turn that was being answered."""

    tenant: str = Field(examples=["default"])
    conversation: str = Field(examples=["budget-2026"])
    turn: str = Field(examples=["6f1e"])


class MigrationJson(Shape):
    """What was copied, and whether both ends are equal."""

    source: str = Field(examples=[SOURCE])
    target: str = Field(examples=[TARGET])
    equal: bool = Field(description="Whether there are no `differences`.", examples=[True])
    written: int = Field(description="Documents.", examples=[42])
    unchanged: int = Field(description="Documents that were there already.", examples=[0])
    turns: int = Field(examples=[7])
    graphs: int = Field(description="Documents whose part of the knowledge graph was copied.", examples=[42])
    pins: int = Field(description="Decisions about names.", examples=[0])
    keys: int = Field(examples=[1])
    answers: int = Field(description="Those that people may judge.", examples=[12])
    notebooks: int = Field(examples=[2])
    users: int = Field(description="Those who sign in by name and password.", examples=[2])
    files: int = Field(description="Uploaded ones.", examples=[3])
    files_waiting: int = Field(description="Uploads that the service at the source is still to read.", examples=[0])
    left_out: list[LeftTurnJson] = Field(description="Turns that were being answered.")
    tenants: list[TenantProof]
    differences: list[str] = Field(description="Each a line that names a document or a conversation.")
    seconds: Number = Field(examples=[1.9])
    settings_file: str | None = Field(description="Where `--switch` wrote the new place into.")

    @classmethod
    def from_report(cls, report: MigrationReport, settings_file: str | None = None) -> Self:
        """What a migration came to, and the settings file that names the new place, if one was written."""
        service = report.service
        left = [dict(zip(LeftTurnJson.model_fields, turn, strict=True)) for turn in report.left_out]
        return cls.model_validate(
            cls.read_attributes(
                report,
                equal=not report.differences,
                keys=service.keys,
                answers=service.answers,
                notebooks=service.notebooks,
                users=service.users,
                files=service.files,
                files_waiting=service.waiting,
                left_out=left,
                settings_file=settings_file,
            )
        )
