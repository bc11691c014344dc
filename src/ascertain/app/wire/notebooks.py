"""Notebooks: sources that somebody often asks together."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import ConfigDict, Field

from ascertain.app.wire.requests import MOST_VALUES, Body, Short
from ascertain.app.wire.shape import Date, NounShape, Shape
from ascertain.core.service.service import Notebook

NotebookName = Annotated[str, Field(min_length=1, max_length=60)]
NotebookSources = Annotated[list[Short], Field(min_length=1, max_length=MOST_VALUES)]


class NotebookBody(Body):
    """A notebook to make."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "Manuals", "sources": ["upload:gearbox.md", "/shelf/manuals/*"]}]}
    )

    name: NotebookName
    sources: NotebookSources = Field(description="As the `sources` of a question's filter.")


class NotebookChangesBody(Body):
    """What to change of a notebook; what is not given stays as it is."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Manuals"}, {"is_shared": True}]})

    name: NotebookName | None = None
    sources: NotebookSources | None = None
    is_shared: bool | None = Field(default=None, description="Whether all of the tenant may see and use it.")


class NotebookJson(NounShape[Notebook]):
    """Sources that are asked together, under a name."""

    id: str = Field(examples=["4f0c1d2e9a8b4c6d8e7f001122334455"])
    name: str = Field(examples=["Manuals"])
    sources: list[str] = Field(
        description="As the `sources` of a question's filter.", examples=[["upload:gearbox.md", "/shelf/manuals/*"]]
    )
    owner: str = Field(description="Whose it is; empty where it was made without a key.", examples=["alice"])
    is_shared: bool = Field(description="Whether all of the tenant may see and use it.", examples=[False])
    is_own: bool = Field(description="Whether the caller may change and delete it.", examples=[True])
    changed_at: Date = Field(examples=["2026-11-22T10:00:00+00:00"])

    @classmethod
    def from_notebook(cls, notebook: Notebook, *, is_own: bool) -> Self:
        """One notebook for somebody whose it is, or not."""
        return cls.model_validate(cls.read_attributes(notebook, is_own=is_own))


class NotebooksJson(Shape):
    """The caller's own notebooks and those that are shared, by name."""

    notebooks: list[NotebookJson]
